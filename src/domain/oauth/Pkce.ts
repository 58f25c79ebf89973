import { Schema } from "effect"

/*
 * Proof Key for Code Exchange (RFC 7636): who asks for a code keeps a random verifier, and shows its SHA-256. Only who
 * has the verifier can use the code.
 */

/** The SHA-256 of a verifier, in base64url: the one method there is, S256. */
export const Challenge = Schema.String.pipe(Schema.check(Schema.isPattern(/^[\w-]{43}$/)), Schema.brand("Challenge"))
export type Challenge = typeof Challenge.Type

export const isChallenge = Schema.is(Challenge)

/** Whether a text can be a verifier: 43 to 128 unreserved characters (RFC 7636, section 4.1). */
export const isVerifier = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)
