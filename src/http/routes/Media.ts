import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { FileType } from "../../domain/media/File.ts"
import { Files, type ServedFile } from "../../domain/media/Files.ts"
import { Images, type ServedImage, WIDTHS } from "../../domain/media/Images.ts"
import type { ByteRange } from "../../domain/media/ObjectStorage.ts"
import { type PublicError, toErrorReply } from "../ErrorTable.ts"
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

const IMMUTABLE = "public, max-age=31536000, immutable"

/** Soon enough to get a size that could not be made before. */
const BRIEF = "public, max-age=60"

/** Headers by which caches know a response. */
interface Validity {
  readonly etag: string
  readonly "cache-control": string
  readonly vary?: string
}

/** Headers of the bytes. A page that opens them runs no script, and an SVG is not opened. */
const headersOf = ({ contentType }: ServedFile, { etag, ...caching }: Validity) => ({
  etag,
  ...caching,
  "accept-ranges": "bytes",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  ...(contentType === "image/svg+xml" ? { "content-disposition": "attachment" } : {})
})

/** Makes the response of a file. None if its bytes are lost. */
const serve = Effect.fnUntraced(function* (file: ServedFile, validity: Validity) {
  const { headers: sent } = yield* HttpServerRequest.HttpServerRequest
  const { etag } = validity
  const headers = headersOf(file, validity)
  if (isNotModified(sent["if-none-match"], etag)) {
    return Option.some(HttpServerResponse.empty({ status: 304, headers }))
  }
  const isSameVersion = sent["if-range"] === undefined || sent["if-range"] === etag
  const range = isSameVersion ? findRange(sent["range"], file.bytes) : undefined
  if (range === "unsatisfiable") {
    const unsatisfiable = { status: 416, headers: { "content-range": `bytes */${file.bytes}` } }
    return Option.some(HttpServerResponse.empty(unsatisfiable))
  }
  return Option.map(yield* file.read(range), (bytes) =>
    HttpServerResponse.stream(bytes, {
      contentType: file.contentType,
      ...(range === undefined
        ? { contentLength: file.bytes, headers }
        : {
            status: 206,
            contentLength: range.last - range.first + 1,
            headers: { ...headers, "content-range": `bytes ${range.first}-${range.last}/${file.bytes}` }
          })
    })
  )
})

/** Types that a client has to name: older ones show neither. */
const NEGOTIATED = ["image/avif", "image/webp"] as const satisfies ReadonlyArray<FileType>

const isRefused = (parameters: ReadonlyArray<string>) => parameters.some((text) => /^q=0(?:\.0*)?$/.test(text))

/** Finds the types that `Accept` names (RFC 9110, section 12.5.1). Wildcards name none, because all clients send them. */
const acceptedTypes = (accept = ""): ReadonlySet<FileType> => {
  const parts = accept
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((text) => text.trim()))
  const named = new Set(parts.flatMap(([type, ...parameters]) => (isRefused(parameters) ? [] : [type])))
  return new Set(NEGOTIATED.filter((type) => named.has(type)))
}

/** Parses a width. Other spellings of a width are other URLs, so they do not exist. */
const parseWidth = (text: string | undefined) => WIDTHS.find((width) => String(width) === text)

const logged = <E extends PublicError, R>(served: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  served.pipe(
    Effect.tapError((error) =>
      error._tag === "StorageUnavailable" ? Effect.logError("A file could not be read", error) : Effect.void
    ),
    Effect.catch((error) => Effect.succeed(toHttpResponse(toErrorReply(error))))
  )

/**
 * Public bytes of files, by their hash, and of sizes of pictures. The name in the path is for readers. Cookies are neither
 * read nor set. The width is in the path, which all caches have in their keys.
 */
export const MediaRoute = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const files = yield* Files
    const images = yield* Images

    yield* router.add(
      "GET",
      "/media/:hash/:name",
      Effect.gen(function* () {
        const { hash = "" } = (yield* HttpRouter.RouteContext).params
        const file = HASH.test(hash) ? yield* files.serve(hash) : Option.none()
        if (Option.isNone(file)) return toHttpResponse(NOT_FOUND)
        const response = yield* serve(file.value, { etag: `"${hash}"`, "cache-control": IMMUTABLE })
        return Option.getOrElse(response, () => toHttpResponse(NOT_FOUND))
      }).pipe(logged)
    )

    yield* router.add(
      "GET",
      "/media/:hash/:width/:name",
      Effect.gen(function* () {
        const { hash = "", width: text } = (yield* HttpRouter.RouteContext).params
        const width = parseWidth(text)
        if (width === undefined || !HASH.test(hash)) return toHttpResponse(NOT_FOUND)
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const accepted = acceptedTypes(headers["accept"])
        const respond = Effect.fnUntraced(function* ({ isFallback, variant, ...image }: ServedImage) {
          return yield* serve(image, {
            etag: variant === undefined ? `"${hash}"` : `"${hash}-${variant}"`,
            "cache-control": isFallback ? BRIEF : IMMUTABLE,
            vary: "accept"
          })
        })
        const image = yield* images.serve(hash, width, accepted)
        if (Option.isNone(image)) return toHttpResponse(NOT_FOUND)
        const response = yield* respond(image.value)
        if (Option.isSome(response)) return response.value
        yield* image.value.forget
        const made = yield* images.serve(hash, width, accepted)
        const second = Option.isSome(made) ? yield* respond(made.value) : Option.none()
        return Option.getOrElse(second, () => toHttpResponse(NOT_FOUND))
      }).pipe(logged)
    )
  })
)
