import { Context, Effect } from "effect"
import { isLoopbackHost, parseUrl } from "../../domain/Url.ts"
import { baseUrl } from "../Listener.ts"

/** Where the service is reached from outside, if that is not where it listens. */
export class PublicUrl extends Context.Reference<PublicUrl>()("http/oauth/PublicUrl", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * The URL that a text is, if the service can be reached there: over TLS, for which a proxy stands before it, or on the same
 * machine, and without anything behind the host.
 */
export const publicOrigin = (text: string): string | undefined => {
  const url = parseUrl(text)
  if (url === undefined) return undefined
  const { host, href, origin, protocol } = url
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackHost(host))
  return isSafe && href === `${origin}/` ? origin : undefined
}

/** What the authorization server is called: a URL without path, as in `https://partners.example.com` (RFC 8414). */
export const issuer = Effect.gen(function* () {
  return (yield* PublicUrl) ?? (yield* baseUrl)
})
