import { Data, Effect, Option, Schema, SchemaTransformation } from "effect"
import { createReadStream, statSync } from "node:fs"
import type { Readable } from "node:stream"

/** The file cannot be read further. */
export class ReadFailed extends Data.TaggedError("ReadFailed")<{ readonly reason: string }> {
  override get message() {
    return `The file could not be read: ${this.reason}. Imported rows are kept; correct the file and run the same import again`
  }
}

const toReadFailed = (thrown: unknown) =>
  new ReadFailed({ reason: thrown instanceof Error ? thrown.message : String(thrown) })

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

/** Converts a file of another encoding to UTF-8. Fails instead of replacing invalid bytes. */
export async function* toUtf8(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (chunk: Buffer | undefined) => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }))
    } catch {
      throw new Error(`it is not valid ${decoder.encoding}; give the encoding in which it was saved with --encoding`)
    }
  }
  for await (const chunk of bytes) yield decode(chunk)
  yield decode(undefined)
}

/** Bytes to import. */
export interface Source {
  readonly bytes: AsyncIterable<Buffer>
  /** Total number of bytes, if known. */
  readonly size: Option.Option<number>
  /** Number of bytes read so far. */
  readonly read: () => number
}

const openStream = (file: Option.Option<string>): Readable =>
  Option.match(file, { onNone: () => process.stdin, onSome: (path) => createReadStream(path) })

/** Size of a regular file. The size of a pipe is 0. */
const sizeOf = (file: string): Option.Option<number> => {
  const stat = statSync(file)
  return stat.isFile() ? Option.some(stat.size) : Option.none()
}

/** Opens the file or standard input, and closes it with the scope. */
export const openSource = (file: Option.Option<string>) =>
  Effect.gen(function* () {
    const stream = yield* Effect.acquireRelease(
      Effect.sync(() => openStream(file)),
      (stream) => Effect.sync(() => stream.destroy())
    )
    let read = 0
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk)
        read += bytes.length
        yield bytes
      }
    }
    const source: Source = { bytes: counted(), size: Option.flatMap(file, sizeOf), read: () => read }
    return source
  })

/**
 * Makes an effect that takes the next value of a generator. The value after it is produced while the caller uses the
 * current one. Interruption does not wait for it, because a pipe may never yield another value.
 */
export const prefetch = <A>(values: AsyncGenerator<A>): Effect.Effect<Option.Option<A>, ReadFailed> => {
  const produce = () => {
    const next = values.next()
    // The effect below reports the error to the caller.
    next.catch(() => {})
    return next
  }
  let next = produce()
  return Effect.map(Effect.tryPromise({ try: () => next, catch: toReadFailed }), ({ done, value }) => {
    if (done === true) return Option.none()
    next = produce()
    return Option.some(value)
  })
}
