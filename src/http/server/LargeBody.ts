import { NodeStream } from "@effect/platform-node"
import { Data, Effect, Stream } from "effect"
import type { IncomingMessage } from "node:http"
import { open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createGunzip } from "node:zlib"
import { BadRequest } from "../../domain/BadRequest.ts"

/** Maximum bytes of a body that is read as a stream, as sent and after decompression. */
const MAX_BYTES = 64 * 1024 * 1024

/** Bytes of a body that are kept in memory. */
const MAX_IN_MEMORY = 1024 * 1024

const badRequest = (reason: string) => new BadRequest({ reason })

const incomplete = () => badRequest("The body is incomplete")
const notGzip = () => badRequest("The body is not valid gzip")

/** The body has more than the maximum of bytes. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge") {
  override get message() {
    return `The body must be at most ${MAX_BYTES} bytes, also after decompression`
  }
}

const limited = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | BodyTooLarge, R> =>
  Stream.mapAccumEffect(
    bytes,
    () => 0,
    (size, chunk) => {
      const total = size + chunk.length
      return total > MAX_BYTES ? Effect.fail(new BodyTooLarge()) : Effect.succeed([total, [chunk]] as const)
    }
  )

/** Reads the bytes of a request and decompresses them. */
export const readLargeBody = (request: IncomingMessage): Stream.Stream<Uint8Array, BadRequest | BodyTooLarge> => {
  const coding = request.headers["content-encoding"]
  // The server discards the rest of a body that is not read to its end, so that the client receives the response.
  const sent = NodeStream.fromReadable<Uint8Array, BadRequest>({
    evaluate: () => request,
    onError: incomplete,
    closeOnDone: false
  })
  if (coding === undefined || coding === "identity") return limited(sent)
  if (coding.toLowerCase() !== "gzip") {
    return Stream.fail(badRequest("The Content-Encoding of the body must be gzip, or absent"))
  }
  return limited(NodeStream.pipeThroughDuplex(limited(sent), { evaluate: () => createGunzip(), onError: notGzip }))
}

/** Opens a temporary file, which is deleted when the scope ends. */
const temporaryFile = Effect.acquireRelease(
  Effect.promise(async () => {
    const path = join(tmpdir(), `body-${crypto.randomUUID()}`)
    return { path, handle: await open(path, "wx+", 0o600) }
  }),
  ({ handle, path }) =>
    Effect.promise(async () => {
      await handle.close()
      await rm(path, { force: true })
    })
)

/**
 * Reads a body to its end before its first byte is passed on, for work that is slower than a client. Node does not read
 * from the socket of a body that waits, so it would not see that the client has left: the request would go on for as long
 * as bytes are buffered. A body that is too large fails before any work. Larger bodies are in a temporary file meanwhile.
 */
export const readWhole = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.unwrap(
    Effect.gen(function* () {
      let chunks: Array<Uint8Array> = []
      let size = 0
      let file: Effect.Success<typeof temporaryFile> | undefined
      const write = Effect.gen(function* () {
        file ??= yield* temporaryFile
        const { handle } = file
        yield* Effect.promise(() => handle.appendFile(Buffer.concat(chunks)))
        chunks = []
        size = 0
      })
      yield* Stream.runForEach(bytes, (chunk) => {
        chunks.push(chunk)
        size += chunk.length
        return size > MAX_IN_MEMORY ? write : Effect.void
      })
      if (file === undefined) return Stream.fromIterable(chunks)
      yield* write
      const { handle } = file
      return Stream.orDie(
        NodeStream.fromReadable<Uint8Array>({ evaluate: () => handle.createReadStream({ start: 0, autoClose: false }) })
      )
    })
  )
