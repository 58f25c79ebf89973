import {
  Data,
  Effect,
  FileSystem,
  Option,
  type PlatformError,
  Schema,
  SchemaTransformation,
  Stdio,
  Stream
} from "effect"
import { formatReason } from "../../layers/postgres/EmbeddedPostgresFailed.ts"

/** The file cannot be read further. */
export class ReadFailed extends Data.TaggedError("ReadFailed")<{ readonly reason: string }> {
  override get message() {
    return `The file could not be read: ${this.reason}. Nothing was imported; correct the file and run the import again`
  }
}

const toReadFailed = (error: PlatformError.PlatformError) =>
  new ReadFailed({ reason: formatReason(error.cause ?? error) })

/** Name of an encoding, such as utf-8 or windows-1252. Labels of it, such as UTF8 or latin1, are decoded to the name. */
export const Encoding = Schema.String.check(
  Schema.makeFilter((label) => Option.isSome(Option.liftThrowable(() => new TextDecoder(label))()), {
    message: "must be an encoding, such as utf-8, utf-16le or windows-1252"
  })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (label) => new TextDecoder(label).encoding, encode: (name) => name })
  )
)

export const UTF_8 = "utf-8"

/** Bytes of a file, in UTF-8. */
export type Bytes = Stream.Stream<Uint8Array, ReadFailed>

/** Converts bytes of another encoding to UTF-8. Fails instead of replacing invalid bytes, as `Stream.decodeText` does. */
const toUtf8 = (bytes: Bytes, encoding: string): Bytes =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding, { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () =>
          new ReadFailed({
            reason: `it is not valid ${encoding}; give the encoding in which it was saved with --encoding`
          })
      })
    const texts = Stream.mapEffect(bytes, (chunk) => decode(chunk))
    return Stream.encodeText(Stream.concat(texts, Stream.fromEffect(Effect.suspend(decode))))
  })

/** Bytes to import. */
export interface Source {
  readonly bytes: Bytes
  /** Total number of bytes, if known. The size of a pipe is not. */
  readonly size: Option.Option<number>
  /** Number of bytes read so far. */
  readonly read: () => number
}

/** Opens the file or standard input. */
export const openSource = Effect.fnUntraced(function* (file: Option.Option<string>, encoding: string) {
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
    bytes: encoding === UTF_8 ? bytes : toUtf8(bytes, encoding),
    size: info.pipe(
      Option.filter(({ type }) => type === "File"),
      Option.map(({ size }) => Number(size))
    ),
    read: () => read
  }
  return source
}, Effect.mapError(toReadFailed))
