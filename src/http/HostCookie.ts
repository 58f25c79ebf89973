import { Cookies, HttpServerResponse } from "@effect/platform"
import { type Duration, Redacted } from "effect"
import { type Headers, isLoopback } from "./Origin.ts"

/**
 * A cookie of this host alone. A name that begins with `__Host-` is only ever set by the host itself, over TLS, for all of
 * it (RFC 6265bis, section 4.1.3.2).
 */
export const hostCookie = (name: string) => {
  const nameFor = (headers: Headers) => (isLoopback(headers) ? name : `__Host-${name}`)
  return {
    /** What the browser has sent back, if it has. */
    read: (headers: Headers): Redacted.Redacted | undefined => {
      const value = Cookies.parseHeader(headers.cookie ?? "")[nameFor(headers)]
      return value === undefined ? undefined : Redacted.make(value)
    },
    /** Gives it to the browser for so long, or until that is closed. */
    set: (headers: Headers, value: Redacted.Redacted, maxAge?: Duration.DurationInput) =>
      HttpServerResponse.unsafeSetCookie(nameFor(headers), Redacted.value(value), {
        httpOnly: true,
        ...(maxAge === undefined ? {} : { maxAge }),
        path: "/",
        sameSite: "lax",
        secure: !isLoopback(headers)
      })
  }
}
