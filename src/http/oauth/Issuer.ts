import { Context, Effect } from "effect"
import { baseUrl } from "../Listener.ts"

/** Where the service is reached from outside, if that is not where it listens. */
export class PublicUrl extends Context.Reference<PublicUrl>()("http/oauth/PublicUrl", {
  defaultValue: (): string | undefined => undefined
}) {}

/** What the authorization server is called: a URL without path, as in `https://partners.example.com` (RFC 8414). */
export const issuer = Effect.gen(function* () {
  return (yield* PublicUrl) ?? (yield* baseUrl)
})
