import { parseUrl } from "../domain/Url.ts"

/** A request's headers, as Node or the platform hold them. */
export interface Headers {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
  readonly cookie?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly "sec-fetch-site"?: string | undefined
}

const hostOf = (origin: string) => parseUrl(origin)?.host

/**
 * Whether a request that counts by its cookie comes from a page of this host. Browsers say so with every POST, by
 * `Origin` (RFC 6454, section 7) and `Sec-Fetch-Site` (W3C, Fetch Metadata); who sends neither is no browser, and has no
 * cookie that somebody else could use.
 */
export const isOwnOrigin = ({ host, origin, "sec-fetch-site": site }: Headers): boolean => {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  return origin === undefined || (host !== undefined && hostOf(origin) === host)
}

/** Whether the address that the client asked is its own machine, where there is no TLS for a cookie to wait for. */
export const isLoopback = ({ host }: Headers): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? "")
