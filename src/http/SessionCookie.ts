import { Duration, Redacted } from "effect"
import { SESSION_DAYS } from "../domain/access/Sessions.ts"
import { hostCookie } from "./HostCookie.ts"
import type { Headers } from "./Origin.ts"

const cookie = hostCookie("session")

/** The token of the session that the browser has, if it has one. */
export const sessionToken = cookie.read

/** Gives the browser a new session. */
export const withSession = (headers: Headers, token: Redacted.Redacted) =>
  cookie.set(headers, token, Duration.days(SESSION_DAYS))

/** Takes the session from the browser. */
export const withoutSession = (headers: Headers) => cookie.set(headers, Redacted.make(""), Duration.zero)
