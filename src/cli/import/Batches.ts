import { Result, Schema } from "effect"
import { setImmediate } from "node:timers/promises"
import { isObject, type JsonObject } from "../../domain/Json.ts"
import { truncateIssues } from "../../domain/Limits.ts"
import { parseUntrusted } from "../../domain/UntrustedJson.ts"
import { compileDecoder, issuesOf } from "../../domain/Decoder.ts"
import { ExternalId, type ImportItem } from "../../domain/imports/Put.ts"
import { isText } from "../../domain/Text.ts"
import type { Line } from "./Lines.ts"

/** Rows that are put together, and bytes of their JSON: as many as one transaction takes for a twentieth of a second. */
const MAX_ROWS = 250
const MAX_BYTES = 1024 * 1024

/** The pace of an import (docs/import.md): a rest of 0.1 ms after every 16 rows. */
const ROWS_PER_REST = 16
const REST_MILLIS = 0.1

/** Never written to, so that waiting for a change of it ends by the timeout. */
const UNCHANGED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/**
 * Gives up the core for a moment, and then the thread, so that answers of the database are read. A process that never
 * sleeps keeps its core for a slice of milliseconds, whatever its priority (docs/performance.md, Import), and no timer of
 * Node is as short as this.
 */
const rest = () => {
  Atomics.wait(UNCHANGED, 0, 0, REST_MILLIS)
  return setImmediate()
}

/** A row that is not imported, and why. */
export interface Refusal {
  readonly line: number
  readonly externalId: string | null
  readonly reason: string
}

/** A row that is as the API takes it. */
export interface Row<Input> {
  readonly line: number
  readonly put: ImportItem<Input>
}

export type Read<Input> = (line: Line) => Result.Result<Row<Input>, Refusal>

const failuresOf = (...reads: ReadonlyArray<Result.Result<unknown, ReadonlyArray<string>>>) =>
  reads.flatMap((read) => (Result.isFailure(read) ? read.failure : []))

/** Reads what a row says of a resource, or tells what is wrong with it, a line for each. */
export type Decode<Input> = (row: JsonObject) => Result.Result<Input, ReadonlyArray<string>>

/** Reads by a schema, as the API does. */
export const decodeBy = <A, I>(schema: Schema.Codec<A, I>): Decode<A> => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (row) => Result.mapError(decode(row), issuesOf)
}

/** Reads rows, and the external id that each must have. */
export const makeRead = <A>(decode: Decode<A>): Read<A> => {
  const decodeId = compileDecoder(Schema.Struct({ externalId: ExternalId }))
  return ({ json, number: line }) => {
    const refuse = (reason: string, externalId: string | null = null) => Result.fail({ line, externalId, reason })
    if (Result.isFailure(json)) return refuse(json.failure)
    const parsed = parseUntrusted(json.success)
    if (Result.isFailure(parsed)) return refuse(parsed.failure.issues.join("; ") || "is not valid JSON")
    const value = parsed.success
    if (!isObject(value)) return refuse("must be a JSON object")
    const [named, input] = [Result.mapError(decodeId(value), issuesOf), decode(value)]
    if (Result.isSuccess(named) && Result.isSuccess(input)) {
      return Result.succeed({ line, put: { externalId: named.success.externalId, input: input.success } })
    }
    const { externalId } = value
    return refuse(truncateIssues(failuresOf(named, input)).join("; "), isText(externalId) ? externalId : null)
  }
}

/** Rows that are put together, and those before their end that are refused already. */
export interface Batch<Input> {
  readonly rows: ReadonlyArray<Row<Input>>
  readonly refused: ReadonlyArray<Refusal>
}

/**
 * Reads a file in batches, in each of which an external id stands once: what comes twice changes what came before. Rests in
 * between, so that an import slows down other requests less.
 */
export async function* batchesOf<Input>(
  chunks: AsyncIterable<ReadonlyArray<Line>>,
  read: Read<Input>
): AsyncGenerator<Batch<Input>> {
  let rows = new Map<string, Row<Input>>()
  let refused: Array<Refusal> = []
  let bytes = 0
  const take = (): Batch<Input> => {
    const batch = { rows: [...rows.values()], refused }
    rows = new Map()
    refused = []
    bytes = 0
    return batch
  }
  let rowsRead = 0
  for await (const lines of chunks) {
    for (const line of lines) {
      rowsRead += 1
      if (rowsRead % ROWS_PER_REST === 0) await rest()
      const row = read(line)
      if (Result.isFailure(row)) refused.push(row.failure)
      else {
        if (rows.has(row.success.put.externalId)) yield take()
        rows.set(row.success.put.externalId, row.success)
        bytes += Result.isSuccess(line.json) ? line.json.success.length : 0
      }
      if (rows.size + refused.length >= MAX_ROWS || bytes >= MAX_BYTES) yield take()
    }
  }
  yield take()
}
