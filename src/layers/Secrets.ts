import { Redacted } from "effect"
import { createHmac, hash, randomBytes } from "node:crypto"

/** Generates a secret of 256 random bits. The prefix identifies the kind of a leaked secret. */
export const newToken = (prefix = ""): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64url")}`)

/** Hash for storage. SHA-256 suffices for secrets of {@link newToken}, but not for passwords. */
export const sha256 = (secret: Redacted.Redacted): Buffer => hash("sha256", Redacted.value(secret), "buffer")

/** Computes the challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: Redacted.Redacted): string =>
  hash("sha256", Redacted.value(verifier), "base64url")

export const newNonce = (): Buffer => randomBytes(16)

/**
 * Derives the tokens for which a refresh token is exchanged. A repeated exchange with the same nonce gives the same
 * tokens, so they are not stored. The nonce without the token reveals neither.
 */
export const successorsOf = (token: Redacted.Redacted, nonce: Uint8Array) => {
  const derived = (label: "access" | "refresh") =>
    Redacted.make(createHmac("sha256", Redacted.value(token)).update(label).update(nonce).digest("base64url"))
  return { accessToken: derived("access"), refreshToken: derived("refresh") }
}
