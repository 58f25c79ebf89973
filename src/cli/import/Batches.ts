import { Iterable, Result, Schema } from "effect"
import { setImmediate } from "node:timers/promises"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import { truncateIssues } from "../../domain/Limits.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { compileDecoder, issuesOf } from "../../domain/json/Decoder.ts"
import { ExternalId, type ImportItem } from "../../domain/imports/Put.ts"
import { isText } from "../../domain/Text.ts"
import { type Line, readJsonLines } from "./Lines.ts"

/** Maximum rows and bytes of JSON in a batch. A transaction of this size takes about 50 ms. */
const MAX_ROWS = 250
const MAX_BYTES = 1024 * 1024

/** Pace of an import: a rest of 0.1 ms after every 16 rows (docs/import.md). */
const ROWS_PER_REST = 16
const REST_MILLIS = 0.1

/** Never written to: waiting for a change of it ends with the timeout. */
const UNCHANGED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/**
 * Sleeps, then yields to the event loop, which reads responses of the database. The scheduler lets a process that never
 * sleeps keep its core for milliseconds, whatever its priority (docs/performance.md, Import). Timers of Node are longer.
 */
const rest = () => {
  Atomics.wait(UNCHANGED, 0, 0, REST_MILLIS)
  return setImmediate()
}

/** Row that is not imported, with the reason. */
export interface Refusal {
  readonly line: number
  readonly externalId: string | null
  readonly reason: string
}

/** Valid row. */
export interface Row<Input> {
  readonly line: number
  readonly item: ImportItem<Input>
}

/** Result of reading one row. */
export interface ReadRow<Input> {
  readonly row: Result.Result<Row<Input>, Refusal>
  readonly bytes: number
}

/** Reads the rows of a file. Rows that arrive together are read one by one when they are needed. */
export type ReadRows<Input> = (bytes: AsyncIterable<Buffer>) => AsyncIterable<Iterable<ReadRow<Input>>>

const failuresOf = (...results: ReadonlyArray<Result.Result<unknown, ReadonlyArray<string>>>) =>
  results.flatMap((result) => (Result.isFailure(result) ? result.failure : []))

/** Decodes the fields of a resource from a row. Fails with one message per issue. */
export type Decode<Input> = (row: JsonObject) => Result.Result<Input, ReadonlyArray<string>>

/** Makes a decoder from a schema of the API. */
export const makeRowDecoder = <A, I>(schema: Schema.Codec<A, I>): Decode<A> => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (row) => Result.mapError(decode(row), issuesOf)
}

/** Makes a reader that parses a line and decodes its external id and fields. */
export const makeRowReader = <A>(decode: Decode<A>): ((line: Line) => Result.Result<Row<A>, Refusal>) => {
  const decodeId = compileDecoder(Schema.Struct({ externalId: ExternalId }))
  return ({ json, number: line }) => {
    const refuse = (reason: string, externalId: string | null = null) => Result.fail({ line, externalId, reason })
    if (Result.isFailure(json)) return refuse(json.failure)
    const parsed = parseUntrusted(json.success)
    if (Result.isFailure(parsed)) return refuse(parsed.failure.issues.join("; ") || "is not valid JSON")
    const value = parsed.success
    if (!isObject(value)) return refuse("must be a JSON object")
    const [id, input] = [Result.mapError(decodeId(value), issuesOf), decode(value)]
    if (Result.isSuccess(id) && Result.isSuccess(input)) {
      return Result.succeed({ line, item: { externalId: id.success.externalId, input: input.success } })
    }
    const { externalId } = value
    return refuse(truncateIssues(failuresOf(id, input)).join("; "), isText(externalId) ? externalId : null)
  }
}

/** Makes a reader of JSON Lines. */
export const readJsonRows = <A>(decode: Decode<A>): ReadRows<A> => {
  const read = makeRowReader(decode)
  return async function* (bytes) {
    for await (const lines of readJsonLines(bytes)) {
      yield Iterable.map(lines, (line) => ({
        row: read(line),
        bytes: Result.isSuccess(line.json) ? line.json.success.length : 0
      }))
    }
  }
}

/** Valid rows for one transaction, and the refused rows between them. */
export interface Batch<Input> {
  readonly rows: ReadonlyArray<Row<Input>>
  readonly refused: ReadonlyArray<Refusal>
}

/**
 * Collects rows into batches. A batch has each external id once: a repeated row starts a new batch and updates the earlier
 * one. Rests between rows, so that an import slows down other requests less.
 */
export async function* readBatches<Input>(
  chunks: AsyncIterable<Iterable<ReadRow<Input>>>
): AsyncGenerator<Batch<Input>> {
  let rows = new Map<string, Row<Input>>()
  let refused: Array<Refusal> = []
  let bytes = 0
  const takeBatch = (): Batch<Input> => {
    const batch = { rows: [...rows.values()], refused }
    rows = new Map()
    refused = []
    bytes = 0
    return batch
  }
  let rowsRead = 0
  for await (const chunk of chunks) {
    for (const { bytes: size, row } of chunk) {
      rowsRead += 1
      if (rowsRead % ROWS_PER_REST === 0) await rest()
      if (Result.isFailure(row)) refused.push(row.failure)
      else {
        if (rows.has(row.success.item.externalId)) yield takeBatch()
        rows.set(row.success.item.externalId, row.success)
        bytes += size
      }
      if (rows.size + refused.length >= MAX_ROWS || bytes >= MAX_BYTES) yield takeBatch()
    }
  }
  yield takeBatch()
}
