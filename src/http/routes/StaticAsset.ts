import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { etagForCoding, type ContentCoding, negotiateCoding, compress } from "../headers/ContentCoding.ts"
import { isNotModified } from "../headers/ConditionalRequests.ts"

const compressOnce = (coding: ContentCoding, bytes: Buffer) => Effect.cached(compress(coding, "most", bytes))

/** A static file, in every coding that a client can accept. */
interface StaticAsset {
  readonly etag: string
  readonly identity: Effect.Effect<Buffer>
  readonly br: Effect.Effect<Buffer, Error>
  readonly gzip: Effect.Effect<Buffer, Error>
}

/** Makes a static asset of a file. Each coding is compressed at its first request. */
export const makeStaticAsset = (bytes: Buffer): Effect.Effect<StaticAsset> =>
  Effect.map(Effect.all({ br: compressOnce("br", bytes), gzip: compressOnce("gzip", bytes) }), (coded) => ({
    etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`,
    identity: Effect.succeed(bytes),
    ...coded
  }))

/** The headers of an asset. */
interface AssetHeaders {
  readonly "content-type": string
  readonly "cache-control": string
  readonly [header: string]: string
}

/** Browsers revalidate the asset at each use, so that they load a new release at once. */
export const REVALIDATE = "no-cache"

/** Serves an asset, or 304 if the client has the current version (RFC 9110, section 13.1.2). */
export const serveStaticAsset = Effect.fnUntraced(function* (
  { etag: identityTag, ...encodings }: StaticAsset,
  assetHeaders: AssetHeaders
) {
  const requestHeaders = (yield* HttpServerRequest.HttpServerRequest).headers
  const coding = negotiateCoding(requestHeaders["accept-encoding"])
  const etag = etagForCoding(identityTag, coding)
  const headers = { ...assetHeaders, etag, vary: "accept-encoding" }
  if (isNotModified(requestHeaders["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  return HttpServerResponse.uint8Array(yield* encodings[coding ?? "identity"], {
    contentType: assetHeaders["content-type"],
    headers: coding === undefined ? headers : { ...headers, "content-encoding": coding }
  })
})

/** The text of a generated file, and headers that depend on it. */
interface GeneratedFile {
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Adds the route of a file that is generated at its first request. */
export const generatedRoute = (
  path: `/${string}`,
  contentType: string,
  make: () => GeneratedFile | Promise<GeneratedFile>
) =>
  HttpRouter.use((router) =>
    Effect.flatMap(
      Effect.cached(
        Effect.flatMap(
          Effect.promise(async () => make()),
          ({ headers, text }) => Effect.map(makeStaticAsset(Buffer.from(text)), (asset) => ({ headers, asset }))
        )
      ),
      (file) =>
        router.add(
          "GET",
          path,
          Effect.flatMap(file, ({ headers, asset }) =>
            serveStaticAsset(asset, { ...headers, "content-type": contentType, "cache-control": REVALIDATE })
          )
        )
    )
  )
