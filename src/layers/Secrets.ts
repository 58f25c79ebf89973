import { Option, Redacted } from "effect"
import { createHmac, hash, randomBytes } from "node:crypto"
import { formatStoreToken, storeOfToken } from "./access/StoreTokens.ts"

/** Generates a secret of 256 random bits. The prefix identifies the kind of a leaked secret. */
export const newToken = (prefix = ""): Redacted.Redacted =>
  Redacted.make(`${prefix}${randomBytes(32).toString("base64url")}`)

/** Hash for storage. SHA-256 suffices for secrets of {@link newToken}, but not for passwords. */
export const sha256 = (secret: Redacted.Redacted): Buffer => hash("sha256", Redacted.value(secret), "buffer")

/** Computes the challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: Redacted.Redacted): string =>
  hash("sha256", Redacted.value(verifier), "base64url")

export const newNonce = (): Buffer => randomBytes(16)

/** Creates the tokens for which a code is exchanged. They name the store of the code. */
export const newTokensFor = (code: Redacted.Redacted) => makeTokens(code, () => randomBytes(32))

/**
 * Derives the tokens for which a refresh token is exchanged. A repeated exchange with the same nonce gives the same
 * tokens, so they are not stored. The nonce without the token reveals neither.
 */
export const successorsOf = (token: Redacted.Redacted, nonce: Uint8Array) =>
  makeTokens(token, (label) => createHmac("sha256", Redacted.value(token)).update(label).update(nonce).digest())

/** Formats an access and a refresh token of the store that `presented` names, or without store if it names none. */
const makeTokens = (presented: Redacted.Redacted, secretOf: (label: "access" | "refresh") => Buffer) => {
  const store = storeOfToken(presented)
  const format = (prefix: "pa_" | "pr_", secret: Buffer) =>
    Option.match(store, {
      onNone: () => Redacted.make(secret.toString("base64url")),
      onSome: (id) => formatStoreToken(prefix, id, secret)
    })
  return { accessToken: format("pa_", secretOf("access")), refreshToken: format("pr_", secretOf("refresh")) }
}
