import { Context, Effect } from "effect"
import { isLoopbackHost, parseUrl } from "../domain/Url.ts"

/** The public URL of the service, if it differs from the address on which it listens. */
export const PublicUrl = Context.Reference<string | undefined>("http/PublicUrl", {
  defaultValue: (): string | undefined => undefined
})

/**
 * Parses a public URL: https, or http on this machine, without a path. Undefined if the text is another URL or none.
 */
export const parsePublicOrigin = (text: string): string | undefined => {
  const url = parseUrl(text)
  if (url === undefined) return undefined
  const { host, href, origin, protocol } = url
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackHost(host))
  return isSafe && href === `${origin}/` ? origin : undefined
}

/** Headers of a request, as Node or the platform has them. */
export interface RequestHeaders {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
  readonly cookie?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | undefined
}

/**
 * The origin at which browsers see the service. `PUBLIC_URL` names it, whatever `Host` says: a proxy may rewrite that, and
 * a page can choose it by DNS (rebinding). Without `PUBLIC_URL` browsers reach the service on its own machine only, by a
 * name that no DNS server can give away. `X-Forwarded-Host` and `X-Forwarded-Proto` are not read.
 */
export const makeOriginPolicy = Effect.map(PublicUrl, (publicUrl) => {
  const ownOrigin = ({ host = "" }: RequestHeaders) =>
    publicUrl ?? (isLoopbackHost(host) ? `http://${host}` : undefined)
  return {
    /** Tests for a request that came to the service's own origin: it may carry its cookies. */
    isPublicHost: (headers: RequestHeaders): boolean => ownOrigin(headers) !== undefined,

    /**
     * Tests for a request that no page of another origin sent. Browsers name the page with every POST, by `Origin` (RFC
     * 6454, section 7) and `Sec-Fetch-Site` (W3C, Fetch Metadata). A client that sends neither is no browser, and has no
     * cookie that a page could use.
     */
    isSameOrigin: (headers: RequestHeaders): boolean => {
      const { origin, "sec-fetch-site": site } = headers
      if (site !== undefined && site !== "same-origin" && site !== "none") return false
      return origin === undefined || origin === ownOrigin(headers)
    },

    /** Cookies wait for TLS wherever the service has it. */
    isSecure: publicUrl?.startsWith("https:") ?? false
  }
})
