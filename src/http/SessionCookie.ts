import { Cookies } from "@effect/platform"
import { Redacted } from "effect"
import { isLoopback, type Headers } from "./Origin.ts"

/** A name that begins so is only ever set by this host, over TLS, for all of it (RFC 6265bis, section 4.1.3.2). */
export const cookieName = (headers: Headers) => (isLoopback(headers) ? "session" : "__Host-session")

/** The token of the session that the browser has, if it has one. */
export const sessionToken = (headers: Headers): Redacted.Redacted | undefined => {
  const token = Cookies.parseHeader(headers.cookie ?? "")[cookieName(headers)]
  return token === undefined ? undefined : Redacted.make(token)
}
