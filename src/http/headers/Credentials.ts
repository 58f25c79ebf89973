import { Duration, Effect, Redacted } from "effect"
import { Cookies, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { makeOriginPolicy, type RequestHeaders } from "./Origin.ts"

/** The scheme, in any case, one or more spaces (RFC 9110, section 11.4), and the token. */
const BEARER = /^Bearer +(\S+)$/i

/** Parses the bearer token of a request. Undefined if the request has none. */
export const parseBearerToken = ({ headers }: IncomingMessage): Redacted.Redacted | undefined => {
  const [, token] = BEARER.exec(headers.authorization ?? "") ?? []
  return token === undefined ? undefined : Redacted.make(token)
}

/**
 * Makes a cookie that only this host can set. Over TLS its name starts with `__Host-`, which browsers accept only from the
 * host itself and for all paths (RFC 6265bis, section 4.1.3.2).
 */
export const makeHostCookie = (plainName: string) =>
  Effect.map(makeOriginPolicy, ({ isPublicHost, isSecure }) => {
    const name = isSecure ? `__Host-${plainName}` : plainName
    return {
      /** Reads the value that the browser sent, if any. */
      read: (headers: RequestHeaders): Redacted.Redacted | undefined => {
        const value = isPublicHost(headers) ? Cookies.parseHeader(headers.cookie ?? "")[name] : undefined
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

/** Makes the cookie of merchant sessions. */
export const makeSessionCookie = Effect.gen(function* () {
  const { read, set } = yield* makeHostCookie("session")
  const { sessionDays } = yield* OperatorLimits
  return {
    /** Reads the session token that the browser sent, if any. */
    sessionToken: read,
    /** Sets the cookie of a new session. */
    withSession: (token: Redacted.Redacted) => set(token, Duration.days(sessionDays)),
    /** Removes the cookie. */
    withoutSession: set(Redacted.make(""), Duration.zero)
  }
})
