import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Files, type ServedFile } from "../../domain/media/Files.ts"
import type { ByteRange } from "../../domain/media/ObjectStorage.ts"
import { toErrorReply } from "../ErrorTable.ts"
import { isNotModified } from "../headers/ConditionalRequests.ts"
import { NOT_FOUND, toHttpResponse } from "../Reply.ts"

const HASH = /^[0-9a-f]{64}$/

/**
 * Finds the range that a request names (RFC 9110, section 14.1.2), or the error if the file does not have it. Other units,
 * lists of ranges and malformed ranges are ignored, as the RFC allows.
 */
const findRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 }
  }
  if (last !== "" && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return "unsatisfiable"
  return { first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) }
}

/** Headers of the bytes. A page that opens them runs no script, and an SVG is not opened. */
const headersOf = ({ contentType }: ServedFile, etag: string) => ({
  etag,
  "accept-ranges": "bytes",
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  ...(contentType === "image/svg+xml" ? { "content-disposition": "attachment" } : {})
})

const serve = Effect.fnUntraced(function* (hash: string, file: ServedFile) {
  const { headers: sent } = yield* HttpServerRequest.HttpServerRequest
  const etag = `"${hash}"`
  const headers = headersOf(file, etag)
  if (isNotModified(sent["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  const isSameVersion = sent["if-range"] === undefined || sent["if-range"] === etag
  const range = isSameVersion ? findRange(sent["range"], file.bytes) : undefined
  if (range === "unsatisfiable") {
    return HttpServerResponse.empty({ status: 416, headers: { "content-range": `bytes */${file.bytes}` } })
  }
  const bytes = yield* file.read(range)
  if (Option.isNone(bytes)) return toHttpResponse(NOT_FOUND)
  return HttpServerResponse.stream(bytes.value, {
    contentType: file.contentType,
    ...(range === undefined
      ? { contentLength: file.bytes, headers }
      : {
          status: 206,
          contentLength: range.last - range.first + 1,
          headers: { ...headers, "content-range": `bytes ${range.first}-${range.last}/${file.bytes}` }
        })
  })
})

/** Public bytes of files, by their hash. The name in the path is for readers. Cookies are neither read nor set. */
export const MediaRoute = HttpRouter.use((router) =>
  Effect.flatMap(Files, (files) =>
    router.add(
      "GET",
      "/media/:hash/:name",
      Effect.gen(function* () {
        const { hash = "" } = (yield* HttpRouter.RouteContext).params
        const file = HASH.test(hash) ? yield* files.serve(hash) : Option.none()
        return Option.isSome(file) ? yield* serve(hash, file.value) : toHttpResponse(NOT_FOUND)
      }).pipe(
        Effect.tapError((error) => Effect.logError("A file could not be read", error)),
        Effect.catchTag("StorageUnavailable", (error) => Effect.succeed(toHttpResponse(toErrorReply(error))))
      )
    )
  )
)
