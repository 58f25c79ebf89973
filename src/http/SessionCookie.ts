import { Duration, Effect, Redacted } from "effect"
import { SESSION_DAYS } from "../domain/access/Sessions.ts"
import { makeHostCookie } from "./HostCookie.ts"

export const makeSessionCookie = Effect.map(makeHostCookie("session"), ({ read, set }) => ({
  /** The token of the session that the browser has, if it has one. */
  sessionToken: read,
  /** Gives the browser a new session. */
  withSession: (token: Redacted.Redacted) => set(token, Duration.days(SESSION_DAYS)),
  /** Takes the session from the browser. */
  withoutSession: set(Redacted.make(""), Duration.zero)
}))
