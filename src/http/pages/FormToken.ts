import { Redacted } from "effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { makeHostCookie } from "../headers/Credentials.ts"

/** Makes the cookie to which the sign-in form is bound, for a browser without a session. */
export const makeVisitCookie = makeHostCookie("visit")

export const makeVisitSecret = () => Redacted.make(randomBytes(32).toString("base64url"))

/**
 * Makes the CSRF token of a form: an HMAC with the secret in the browser's cookie as key. It is not stored, and every
 * process computes the same.
 */
export const makeFormToken = (secret: Redacted.Redacted) =>
  createHmac("sha256", Redacted.value(secret)).update("form").digest("base64url")

/** Compares the token of a form with that of its browser, in constant time. */
export const isFormToken = (secret: Redacted.Redacted | undefined, token: string) => {
  if (secret === undefined) return false
  const [actual, expected] = [Buffer.from(token), Buffer.from(makeFormToken(secret))]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
