import { Duration, Effect, Redacted } from "effect"
import { SESSION_DAYS } from "../domain/access/Sessions.ts"
import { makeHostCookie } from "./HostCookie.ts"

export const makeSessionCookie = Effect.map(makeHostCookie("session"), ({ read, set }) => ({
  /** The session token that the browser sent, if any. */
  sessionToken: read,
  /** Sets the cookie of a new session. */
  withSession: (token: Redacted.Redacted) => set(token, Duration.days(SESSION_DAYS)),
  /** Removes the cookie of the session. */
  withoutSession: set(Redacted.make(""), Duration.zero)
}))
