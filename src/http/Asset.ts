import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { codedTag, type Coding, codingOf, compress } from "./Coding.ts"
import { isNotModified } from "./Conditions.ts"

const compressed = (coding: Coding, bytes: Buffer) => Effect.cached(compress(coding, "most", bytes))

/** Bytes that stay the same while the process lives, in every coding that a client may ask for. */
interface Kept {
  readonly etag: string
  readonly identity: Effect.Effect<Buffer>
  readonly br: Effect.Effect<Buffer, Error>
  readonly gzip: Effect.Effect<Buffer, Error>
}

/** Keeps what is served; each coding is made when it is first asked for. */
export const keep = (bytes: Buffer): Effect.Effect<Kept> =>
  Effect.map(Effect.all({ br: compressed("br", bytes), gzip: compressed("gzip", bytes) }), (coded) => ({
    etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`,
    identity: Effect.succeed(bytes),
    ...coded
  }))

/** The headers that something is sent with, whoever asks for it. */
interface Sent {
  readonly "content-type": string
  readonly "cache-control": string
  readonly [header: string]: string
}

/** Browsers keep it and ask about it each time, so that the next release is seen at once. */
export const ASKED_ABOUT = "no-cache"

/** Answers with what is kept, but only to who has another one (RFC 9110, section 13.1.2). */
export const sendKept = Effect.fnUntraced(function* ({ etag: plain, ...made }: Kept, sent: Sent) {
  const asked = (yield* HttpServerRequest.HttpServerRequest).headers
  const coding = codingOf(asked["accept-encoding"])
  const etag = codedTag(plain, coding)
  const headers = { ...sent, etag, vary: "accept-encoding" }
  if (isNotModified(asked["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  return HttpServerResponse.uint8Array(yield* made[coding ?? "identity"], {
    contentType: sent["content-type"],
    headers: coding === undefined ? headers : { ...headers, "content-encoding": coding }
  })
})

/** A page, and the headers of its own. */
interface Page {
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A page that is made when somebody first asks for it. */
export const asset = (path: `/${string}`, contentType: string, make: () => Page | Promise<Page>) =>
  HttpRouter.use((router) =>
    Effect.flatMap(
      Effect.cached(
        Effect.flatMap(
          Effect.promise(async () => make()),
          ({ headers, text }) => Effect.map(keep(Buffer.from(text)), (kept) => ({ headers, kept }))
        )
      ),
      (made) =>
        router.add(
          "GET",
          path,
          Effect.flatMap(made, ({ headers, kept }) =>
            sendKept(kept, { ...headers, "content-type": contentType, "cache-control": ASKED_ABOUT })
          )
        )
    )
  )
