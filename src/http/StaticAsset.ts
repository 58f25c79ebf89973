import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { etagForCoding, type ContentCoding, negotiateCoding, compress } from "./ContentCoding.ts"
import { isNotModified } from "./ConditionalRequests.ts"

const compressOnce = (coding: ContentCoding, bytes: Buffer) => Effect.cached(compress(coding, "most", bytes))

/** A static file, in every coding that a client can accept. */
interface StaticAsset {
  readonly etag: string
  readonly identity: Effect.Effect<Buffer>
  readonly br: Effect.Effect<Buffer, Error>
  readonly gzip: Effect.Effect<Buffer, Error>
}

/** Makes a static asset of a file. Each coding is made at its first request. */
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

/** Browsers revalidate the asset at each use, so that they show the next release at once. */
export const REVALIDATE = "no-cache"

/** Serves an asset. A client that has the current one gets 304 (RFC 9110, section 13.1.2). */
export const serveStaticAsset = Effect.fnUntraced(function* (
  { etag: plain, ...made }: StaticAsset,
  sent: AssetHeaders
) {
  const asked = (yield* HttpServerRequest.HttpServerRequest).headers
  const coding = negotiateCoding(asked["accept-encoding"])
  const etag = etagForCoding(plain, coding)
  const headers = { ...sent, etag, vary: "accept-encoding" }
  if (isNotModified(asked["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  return HttpServerResponse.uint8Array(yield* made[coding ?? "identity"], {
    contentType: sent["content-type"],
    headers: coding === undefined ? headers : { ...headers, "content-encoding": coding }
  })
})

/** A generated page, and the headers that only it has. */
interface GeneratedFile {
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Adds the route of a page that is generated at its first request. */
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
          ({ headers, text }) => Effect.map(makeStaticAsset(Buffer.from(text)), (kept) => ({ headers, kept }))
        )
      ),
      (made) =>
        router.add(
          "GET",
          path,
          Effect.flatMap(made, ({ headers, kept }) =>
            serveStaticAsset(kept, { ...headers, "content-type": contentType, "cache-control": REVALIDATE })
          )
        )
    )
  )
