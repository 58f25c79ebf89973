import { Effect, Result, Stream } from "effect"
import type { ImportRow } from "../../domain/imports/ImportFile.ts"
import { splitLines } from "../../domain/json/Lines.ts"

/** Maximum bytes of a line, equal to the limit of a request body. */
const MAX_LINE = 1024 * 1024

/** Pace of reading: a rest of 1 ms after every 32 rows (docs/import.md). */
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

const utf8 = new TextDecoder("utf-8", { fatal: true })

const decodeText = (bytes: Buffer): Result.Result<string, string> =>
  Result.try({ try: () => utf8.decode(bytes), catch: () => "is not valid UTF-8" })

/** Reads the lines of a file, except empty ones. The import parses them. */
export const readJsonLines = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<ImportRow, E> =>
  pace(splitLines(bytes, MAX_LINE)).pipe(
    Stream.map(({ bytes, number: line }) =>
      Result.match(Result.flatMap(bytes, decodeText), {
        onFailure: (reason): ImportRow => ({ line, externalId: null, reason }),
        onSuccess: (json): ImportRow => ({ line, json })
      })
    ),
    Stream.filter((row) => !("json" in row) || row.json.trim() !== "")
  )
