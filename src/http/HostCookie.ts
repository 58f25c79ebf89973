import { type Duration, Effect, Redacted } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import { type RequestHeaders, makeOriginPolicy } from "./Origin.ts"

/**
 * A cookie of this host alone. Browsers accept a name that begins with `__Host-` only from the host itself, over TLS, for
 * all paths (RFC 6265bis, section 4.1.3.2).
 */
export const makeHostCookie = (plainName: string) =>
  Effect.map(makeOriginPolicy, ({ isOwnHost, isSecure }) => {
    const name = isSecure ? `__Host-${plainName}` : plainName
    return {
      /** The value that the browser sent, if any. */
      read: (headers: RequestHeaders): Redacted.Redacted | undefined => {
        const value = isOwnHost(headers) ? Cookies.parseHeader(headers.cookie ?? "")[name] : undefined
        return value === undefined ? undefined : Redacted.make(value)
      },
      /** Sets the cookie for `maxAge`, or until the browser is closed. */
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
