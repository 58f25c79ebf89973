import { Context, Effect } from "effect"
import { isLoopbackHost } from "../../domain/Url.ts"

/** The public URL of the service, if it differs from the address it listens on. */
export const PublicUrl = Context.Reference<string | undefined>("http/PublicUrl", {
  defaultValue: (): string | undefined => undefined
})

/** Headers of a Node or Effect request. */
export interface RequestHeaders {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
  readonly cookie?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | undefined
}

/**
 * Makes the checks of a browser's origin. The public origin is `PUBLIC_URL`, not `Host`: proxies rewrite `Host`, and DNS
 * rebinding lets a page choose it. Without `PUBLIC_URL` only loopback names are accepted, which DNS cannot rebind.
 * `X-Forwarded-Host` and `X-Forwarded-Proto` are ignored.
 */
export const makeOriginPolicy = Effect.map(PublicUrl, (publicUrl) => {
  const originOf = ({ host = "" }: RequestHeaders) => publicUrl ?? (isLoopbackHost(host) ? `http://${host}` : undefined)
  return {
    /** Tests for a request to the public origin. Only such a request may use cookies. */
    isPublicHost: (headers: RequestHeaders): boolean => originOf(headers) !== undefined,

    /**
     * Tests for a request that no page of another origin sent. Browsers add `Origin` (RFC 6454, section 7) and
     * `Sec-Fetch-Site` (W3C, Fetch Metadata) to every POST. A client that sends neither is not a browser.
     */
    isSameOrigin: (headers: RequestHeaders): boolean => {
      const { origin, "sec-fetch-site": site } = headers
      if (site !== undefined && site !== "same-origin" && site !== "none") return false
      return origin === undefined || origin === originOf(headers)
    },

    /** True if the public origin uses TLS. Cookies are then sent over TLS only. */
    isSecure: publicUrl?.startsWith("https:") ?? false
  }
})
