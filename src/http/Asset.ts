import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { codedTag, type Coding, codingOf, compress } from "./Coding.ts"
import { isNotModified } from "./Conditions.ts"

const compressed = (coding: Coding, bytes: Buffer) =>
  Effect.cached(
    Effect.async<Buffer, Error>((resume) =>
      compress(coding, "most", bytes, (error, made) =>
        resume(error === null ? Effect.succeed(made) : Effect.fail(error))
      )
    )
  )

const make = Effect.fnUntraced(function* (text: () => string | Promise<string>) {
  const bytes = Buffer.from(yield* Effect.promise(async () => text()))
  const etag = `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`
  return {
    etag,
    identity: Effect.succeed(bytes),
    br: yield* compressed("br", bytes),
    gzip: yield* compressed("gzip", bytes)
  }
})

/**
 * A page that stays the same while the process lives: made when somebody first asks for it, kept, and sent again only to
 * who has another one (RFC 9110, section 13.1.2).
 */
export const asset = (path: `/${string}`, contentType: string, text: () => string | Promise<string>) =>
  HttpLayerRouter.use((router) =>
    Effect.flatMap(Effect.cached(make(text)), (made) =>
      router.add(
        "GET",
        path,
        Effect.gen(function* () {
          const asked = (yield* HttpServerRequest.HttpServerRequest).headers
          const coding = codingOf(asked["accept-encoding"])
          const { [coding ?? "identity"]: body, etag: plain } = yield* made
          const etag = codedTag(plain, coding)
          // Kept by browsers, and asked about each time: the next release is seen at once.
          const headers = { etag, "cache-control": "no-cache", vary: "accept-encoding" }
          if (isNotModified(asked["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
          return HttpServerResponse.uint8Array(yield* body, {
            contentType,
            headers: coding === undefined ? headers : { ...headers, "content-encoding": coding }
          })
        })
      )
    )
  )
