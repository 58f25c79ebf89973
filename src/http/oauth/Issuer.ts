import { Effect } from "effect"
import { baseUrl } from "../server/HttpListener.ts"
import { PublicUrl } from "../Origin.ts"

/** What the authorization server is called: a URL without path, as in `https://partners.example.com` (RFC 8414). */
export const issuer = Effect.gen(function* () {
  return (yield* PublicUrl) ?? (yield* baseUrl)
})
