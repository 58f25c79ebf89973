import { type Duration, Effect, Redacted } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import { type Headers, makeOrigin } from "./Origin.ts"

/**
 * A cookie of this host alone. A name that begins with `__Host-` is only ever set by the host itself, over TLS, for all of
 * it (RFC 6265bis, section 4.1.3.2).
 */
export const makeHostCookie = (plainName: string) =>
  Effect.map(makeOrigin, ({ isOwnHost, isSecure }) => {
    const name = isSecure ? `__Host-${plainName}` : plainName
    return {
      /** The value that the browser sent back; undefined without one. */
      read: (headers: Headers): Redacted.Redacted | undefined => {
        const value = isOwnHost(headers) ? Cookies.parseHeader(headers.cookie ?? "")[name] : undefined
        return value === undefined ? undefined : Redacted.make(value)
      },
      /** Gives it to the browser for so long, or until that is closed. */
      set: (value: Redacted.Redacted, maxAge?: Duration.Input) =>
        HttpServerResponse.setCookieUnsafe(name, Redacted.value(value), {
          httpOnly: true,
          ...(maxAge === undefined ? {} : { maxAge }),
          path: "/",
          sameSite: "lax",
          secure: isSecure
        })
    }
  })
