import { Schema } from "effect"

/*
 * Proof Key for Code Exchange (RFC 7636): the client keeps a random verifier and sends its SHA-256. Only a client with
 * the verifier can use the code.
 */

/** SHA-256 of a verifier in base64url. S256 is the only supported method. */
export const Challenge = Schema.String.pipe(Schema.check(Schema.isPattern(/^[\w-]{43}$/)), Schema.brand("Challenge"))
export type Challenge = typeof Challenge.Type

export const isChallenge = Schema.is(Challenge)

/** Tests whether a text is a valid verifier: 43 to 128 unreserved characters (RFC 7636, section 4.1). */
export const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)
