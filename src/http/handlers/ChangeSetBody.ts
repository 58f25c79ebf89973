import { NodeStream } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import type { IncomingMessage } from "node:http"
import { createGunzip } from "node:zlib"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { ChangeSetFormat } from "../../domain/changeSets/Reception.ts"
import { makeMediaTypeTest } from "../server/BodyReader.ts"

/** Maximum bytes of the body of a change set, as sent and after decompression. */
const MAX_BYTES = 64 * 1024 * 1024

const isJson = makeMediaTypeTest("application/json")
const isNdjson = makeMediaTypeTest("application/x-ndjson")

const badRequest = (reason: string) => new BadRequest({ reason })

const incomplete = () => badRequest("The body is incomplete")
const notGzip = () => badRequest("The body is not valid gzip")

const limited = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | BadRequest, R> =>
  Stream.mapAccumEffect(
    bytes,
    () => 0,
    (size, chunk) => {
      const total = size + chunk.length
      return total > MAX_BYTES
        ? Effect.fail(badRequest(`The body must be at most ${MAX_BYTES} bytes, also after decompression`))
        : Effect.succeed([total, [chunk]] as const)
    }
  )

/** Reads the bytes of a request and decompresses them. */
export const changeSetBytes = (request: IncomingMessage): Stream.Stream<Uint8Array, BadRequest> => {
  const coding = request.headers["content-encoding"]
  const sent = NodeStream.fromReadable<Uint8Array, BadRequest>({ evaluate: () => request, onError: incomplete })
  if (coding === undefined || coding === "identity") return limited(sent)
  if (coding.toLowerCase() !== "gzip") {
    return Stream.fail(badRequest("The Content-Encoding of the body must be gzip, or absent"))
  }
  return limited(NodeStream.pipeThroughDuplex(limited(sent), { evaluate: () => createGunzip(), onError: notGzip }))
}

/** Finds the format of a body by its media type. */
export const changeSetFormat = (contentType: string | undefined): Effect.Effect<ChangeSetFormat, BadRequest> => {
  if (isJson(contentType)) return Effect.succeed("json")
  return isNdjson(contentType)
    ? Effect.succeed("ndjson")
    : Effect.fail(badRequest("The Content-Type must be application/json or application/x-ndjson"))
}
