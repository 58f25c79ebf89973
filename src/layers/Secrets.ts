import { Redacted } from "effect"
import { createHmac, hash, randomBytes } from "node:crypto"

/** A secret of 256 random bits. A prefix tells it from others, for who finds one where it should not be. */
export const newToken = (prefix = ""): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64url")}`)

/** What is kept of a secret that has so many bits: of a password it would be too little. */
export const hashOf = (secret: Redacted.Redacted): Buffer => hash("sha256", Redacted.value(secret), "buffer")

/** The challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: Redacted.Redacted): string =>
  hash("sha256", Redacted.value(verifier), "base64url")

export const newNonce = (): Buffer => randomBytes(16)

/**
 * What a refresh token is exchanged for: the same each time with the same nonce, so that it need not be kept to be answered
 * again, and to nobody known who has the nonce and not the token.
 */
export const successorsOf = (token: Redacted.Redacted, nonce: Uint8Array) => {
  const derived = (label: "access" | "refresh") =>
    Redacted.make(createHmac("sha256", Redacted.value(token)).update(label).update(nonce).digest("base64url"))
  return { accessToken: derived("access"), refreshToken: derived("refresh") }
}
