import { NodeStream } from "@effect/platform-node"
import { Data, Effect, Stream } from "effect"
import type { IncomingMessage } from "node:http"
import { createGunzip } from "node:zlib"
import { BadRequest } from "../../domain/BadRequest.ts"

/** Maximum bytes of a body that is read as a stream, as sent and after decompression. */
const MAX_BYTES = 64 * 1024 * 1024

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
