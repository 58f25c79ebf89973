import { Redacted } from "effect"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { makeHostCookie } from "../Credentials.ts"

/** What the form to sign in is bound to: a browser in which nobody is signed in. */
export const makeVisit = makeHostCookie("visit")

export const newVisit = () => Redacted.make(randomBytes(32).toString("base64url"))

/**
 * What a form of ours carries, so that a POST comes from nowhere else: made of the secret that its browser has in a cookie,
 * and no help in finding that. Nothing of it is kept, and every process makes the same.
 */
export const formToken = (secret: Redacted.Redacted) =>
  createHmac("sha256", Redacted.value(secret)).update("form").digest("base64url")

/** Whether a form carries the token of the browser that sends it. */
export const isOurs = (secret: Redacted.Redacted | undefined, token: string) => {
  if (secret === undefined) return false
  const [given, made] = [Buffer.from(token), Buffer.from(formToken(secret))]
  return given.length === made.length && timingSafeEqual(given, made)
}
