import { Effect } from "effect"
import { HttpBody, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { etagForCoding, type ContentCoding, negotiateCoding, compress } from "../headers/ContentCoding.ts"

/** The minimum bytes of a compressed response. */
const MIN_COMPRESSED = 1024

/**
 * Bytes that are compressed concurrently, about 0.1 s of work. Further responses are sent uncompressed, so that large
 * lists of one store do not delay other stores.
 */
const MAX_COMPRESSING = 8 * 1024 * 1024

const JSON_TYPE = /^application\/(?:json|ndjson)/

type Response = HttpServerResponse.HttpServerResponse

let compressing = 0

const compressed = (coding: ContentCoding, bytes: Uint8Array) =>
  Effect.acquireUseRelease(
    Effect.sync(() => (compressing += bytes.length)),
    () => compress(coding, "least", bytes),
    () => Effect.sync(() => (compressing -= bytes.length))
  )

const withBody = (response: Response, coding: ContentCoding, bytes: Uint8Array, contentType: string) => {
  const { etag } = response.headers
  return HttpServerResponse.setHeaders(HttpServerResponse.setBody(response, HttpBody.uint8Array(bytes, contentType)), {
    "content-encoding": coding,
    ...(etag === undefined ? {} : { etag: etagForCoding(etag, coding) })
  })
}

/**
 * Compresses JSON responses for clients that accept it. Replaces `HttpMiddleware.compression`, which makes entity tags
 * weak: `If-Match` never accepts a weak tag (`Compression.test.ts`).
 */
export const Compression = HttpRouter.middleware(
  (app) =>
    Effect.flatMap(app, (response): Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest> => {
      const { body, headers } = response
      if (body._tag !== "Uint8Array" || body.body.length < MIN_COMPRESSED) return Effect.succeed(response)
      if (headers["content-encoding"] !== undefined || !JSON_TYPE.test(body.contentType))
        return Effect.succeed(response)
      const varied = HttpServerResponse.setHeader(response, "vary", "accept-encoding")
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const coding = negotiateCoding(request.headers["accept-encoding"])
        if (coding === undefined || compressing + body.body.length > MAX_COMPRESSING) return Effect.succeed(varied)
        return Effect.match(compressed(coding, body.body), {
          onFailure: () => varied,
          onSuccess: (bytes) => withBody(varied, coding, bytes, body.contentType)
        })
      })
    }),
  { global: true }
)
