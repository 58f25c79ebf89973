import { Effect, Result, Schema, Stream } from "effect"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import { truncateIssues } from "../../domain/Limits.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { compileDecoder, issuesOf } from "../../domain/json/Decoder.ts"
import { ExternalId, type ImportItem } from "../../domain/imports/Put.ts"
import { isText } from "../../domain/Text.ts"
import { splitLines } from "../../domain/json/Lines.ts"
import type { Bytes, ReadFailed } from "./Source.ts"

/** Maximum rows and bytes of JSON in a batch. A transaction of this size takes about 50 ms. */
const MAX_ROWS = 250
const MAX_BYTES = 1024 * 1024

/** Maximum bytes of a line, equal to the limit of a request body. */
const MAX_LINE = 1024 * 1024

/** Pace of an import: a rest of 1 ms after every 32 rows (docs/import.md). */
const ROWS_PER_REST = 32
const REST = "1 millis"

/**
 * Sleeps between rows, so that an import slows down other requests less. The scheduler lets a process that never sleeps
 * keep its core for milliseconds, whatever its priority (docs/performance.md, Import).
 */
export const pace = <A, E, R>(rows: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  rows.pipe(
    Stream.rechunk(ROWS_PER_REST),
    Stream.mapArrayEffect((rows) => Effect.as(Effect.sleep(REST), rows))
  )

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

/** Reads the rows of a file. */
export type ReadRows<Input> = (bytes: Bytes) => Stream.Stream<ReadRow<Input>, ReadFailed>

const failuresOf = (...results: ReadonlyArray<Result.Result<unknown, ReadonlyArray<string>>>) =>
  results.flatMap((result) => (Result.isFailure(result) ? result.failure : []))

/** Decodes the fields of a resource from a row. Fails with one message per issue. */
export type Decode<Input> = (row: JsonObject) => Result.Result<Input, ReadonlyArray<string>>

/** Makes a decoder from a schema of the API. */
export const makeRowDecoder = <A, I>(schema: Schema.Codec<A, I>): Decode<A> => {
  const decode = compileDecoder(schema, { errors: "all" })
  return (row) => Result.mapError(decode(row), issuesOf)
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeText = (bytes: Buffer): Result.Result<string, string> =>
  Result.try({ try: () => utf8.decode(bytes), catch: () => "is not valid UTF-8" })

/** Makes a reader of JSON Lines, which parses each line and decodes its external id and fields. */
export const readJsonRows = <A>(decode: Decode<A>): ReadRows<A> => {
  const decodeId = compileDecoder(Schema.Struct({ externalId: ExternalId }))
  const decodeRow = (line: number, json: string): ReadRow<A>["row"] => {
    const refuse = (reason: string, externalId: string | null = null) => Result.fail({ line, externalId, reason })
    const parsed = parseUntrusted(json)
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
  return (bytes) =>
    pace(splitLines(bytes, MAX_LINE)).pipe(
      Stream.map((line) => ({ line: line.number, json: Result.flatMap(line.bytes, decodeText) })),
      Stream.filter(({ json }) => Result.isFailure(json) || json.success.trim() !== ""),
      Stream.map(({ json, line }) =>
        Result.match(json, {
          onFailure: (reason) => ({ row: Result.fail({ line, externalId: null, reason }), bytes: 0 }),
          onSuccess: (json) => ({ row: decodeRow(line, json), bytes: json.length })
        })
      )
    )
}

/** Valid rows for one transaction, and the refused rows between them. */
export interface Batch<Input> {
  readonly rows: ReadonlyArray<Row<Input>>
  readonly refused: ReadonlyArray<Refusal>
}

const emptyBatch = <Input>() => ({
  rows: new Map<string, Row<Input>>(),
  refused: new Array<Refusal>(),
  bytes: 0
})

/**
 * Collects rows into batches. A batch has each external id once: a repeated row starts a new batch and updates the earlier
 * one.
 */
export const toBatches = <Input, E, R>(rows: Stream.Stream<ReadRow<Input>, E, R>): Stream.Stream<Batch<Input>, E, R> =>
  rows.pipe(
    Stream.mapAccum(
      emptyBatch<Input>,
      (before, { bytes, row }) => {
        const isRepeated = Result.isSuccess(row) && before.rows.has(row.success.item.externalId)
        const batch = isRepeated ? emptyBatch<Input>() : before
        if (Result.isFailure(row)) batch.refused.push(row.failure)
        else {
          batch.rows.set(row.success.item.externalId, row.success)
          batch.bytes += bytes
        }
        const isFull = batch.rows.size + batch.refused.length >= MAX_ROWS || batch.bytes >= MAX_BYTES
        return [isFull ? emptyBatch<Input>() : batch, [...(isRepeated ? [before] : []), ...(isFull ? [batch] : [])]]
      },
      { onHalt: (batch) => [batch] }
    ),
    Stream.map(({ refused, rows }) => ({ rows: [...rows.values()], refused }))
  )
