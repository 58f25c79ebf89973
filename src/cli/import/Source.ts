import { Effect, FileSystem, Option, type PlatformError, Stdio, Stream } from "effect"
import { ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { formatReason } from "../../layers/postgres/EmbeddedPostgresFailed.ts"

const toReadFailed = (error: PlatformError.PlatformError) =>
  new ReadFailed({ reason: formatReason(error.cause ?? error) })

/** Bytes of a file. */
export type Bytes = Stream.Stream<Uint8Array, ReadFailed>

/** Bytes to import. */
export interface Source {
  readonly bytes: Bytes
  /** Total number of bytes, if known. The size of a pipe is not. */
  readonly size: Option.Option<number>
  /** Number of bytes read so far. */
  readonly read: () => number
}

/** Opens the file or standard input. */
export const openSource = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const fs = yield* FileSystem.FileSystem
  const { stdin } = yield* Stdio.Stdio
  const info = yield* Effect.transposeOption(Option.map(file, (path) => fs.stat(path)))
  let read = 0
  const bytes = Option.match(file, { onNone: () => stdin, onSome: (path) => fs.stream(path) }).pipe(
    Stream.mapError(toReadFailed),
    Stream.tap(({ length }) =>
      Effect.sync(() => {
        read += length
      })
    )
  )
  const source: Source = {
    bytes,
    size: info.pipe(
      Option.filter(({ type }) => type === "File"),
      Option.map(({ size }) => Number(size))
    ),
    read: () => read
  }
  return source
}, Effect.mapError(toReadFailed))
