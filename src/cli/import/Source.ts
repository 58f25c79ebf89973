import { Data, Effect, Option } from "effect"
import { createReadStream, statSync } from "node:fs"
import type { Readable } from "node:stream"

/** The file cannot be read any further. */
export class ReadFailed extends Data.TaggedError("ReadFailed")<{ readonly cause: unknown }> {
  override get message() {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The file could not be read: ${reason}. What was imported before stays; mend it and run the same import again`
  }
}

/** What is imported. */
export interface Source {
  readonly bytes: AsyncIterable<Buffer>
  /** Bytes of all of it, where that is known, and how many of them were read. */
  readonly size: Option.Option<number>
  readonly read: () => number
}

const openStream = (file: Option.Option<string>): Readable =>
  Option.match(file, { onNone: () => process.stdin, onSome: (path) => createReadStream(path) })

/** A pipe has no size that says anything. */
const sizeOf = (file: string): Option.Option<number> => {
  const stat = statSync(file)
  return stat.isFile() ? Option.some(stat.size) : Option.none()
}

/** The file, else standard input, which is let go with the scope. */
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
 * What a generator makes, one thing after the other, of which the next is made while the one before is used. Who stops
 * does not wait for it: nothing may ever come from a pipe.
 */
export const prefetched = <A>(made: AsyncGenerator<A>): Effect.Effect<Option.Option<A>, ReadFailed> => {
  const follow = () => {
    const next = made.next()
    // Whoever takes it is told.
    next.catch(() => {})
    return next
  }
  let next = follow()
  return Effect.map(
    Effect.tryPromise({ try: () => next, catch: (cause) => new ReadFailed({ cause }) }),
    ({ done, value }) => {
      if (done === true) return Option.none()
      next = follow()
      return Option.some(value)
    }
  )
}
