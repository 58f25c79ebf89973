import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import { MerchantId } from "./Ids.ts"
import { WindowResult } from "../RateLimit.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { Email, type EmailTaken, Role } from "./Merchants.ts"

/** Hours without use after which a session ends (docs/spec/accounts.md). */
export const IDLE_HOURS = 24

/** Minutes for which an attempt counts. */
export const SIGN_IN_MINUTES = 15

/**
 * Maximum number of sign-up attempts from an address within {@link SIGN_IN_MINUTES}, including those with a taken
 * e-mail address.
 */
export const MAX_SIGN_UPS = 30

export const SessionId = Uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** Session and account of a signed-in merchant. */
export const SignedIn = Schema.Struct({
  sessionId: Schema.toType(SessionId),
  merchantId: Schema.toType(MerchantId),
  email: Schema.toType(Email),
  name: Schema.String
})
export type SignedIn = typeof SignedIn.Type

/** Signed-in merchant, with the roles in the requested stores. */
export const SessionWithRoles = Schema.Struct({
  ...SignedIn.fields,
  roles: Schema.Record(Schema.String, Role)
})
export type SessionWithRoles = typeof SessionWithRoles.Type

/** Signed-in merchant with the number of calls that the rate limit admitted. */
export const Admitted = Schema.Struct({ ...SessionWithRoles.fields, ...WindowResult.fields })
export type Admitted = typeof Admitted.Type

/** Session in the list of a merchant. */
export const SessionSummary = Schema.Struct({
  sessionId: Schema.toType(SessionId),
  /** User agent of the browser at sign-in. */
  userAgent: Schema.NullOr(Schema.String),
  address: Schema.String,
  createdAt: Schema.Date,
  /** Time of last use, to the minute. */
  seenAt: Schema.Date
})
export type SessionSummary = typeof SessionSummary.Type

/** Wrong credentials. The error is the same for unknown accounts. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {
  override get message() {
    return "The e-mail address or the password is wrong; try again, or ask an owner of your store for a link that resets the password"
  }
}

/** A signed-in merchant entered a wrong current password. */
export class WrongPassword extends Schema.TaggedError<WrongPassword>()("WrongPassword", {}) {
  override get message() {
    return "The current password is wrong; try again, or ask an owner of your store for a link that resets it"
  }
}

/** Seconds until the next attempt is admitted. */
const retryAfter = { retryAfter: Schema.Int }

/** Describes a wait in whole minutes. */
export const minutes = (seconds: number) => {
  const whole = Math.ceil(seconds / 60)
  return whole === 1 ? "1 minute" : `${whole} minutes`
}

export class TooManySignIns extends Schema.TaggedError<TooManySignIns>()("TooManySignIns", retryAfter) {
  override get message() {
    return `Too many failed sign-ins; wait ${minutes(this.retryAfter)}, or ask an owner of your store for a link that resets your password`
  }
}

export class TooManySignUps extends Schema.TaggedError<TooManySignUps>()("TooManySignUps", retryAfter) {
  override get message() {
    return `Too many accounts were created from your network; wait ${minutes(this.retryAfter)}`
  }
}

/** The queue for password checks is full in this process. The attempt is not counted. */
export class SignInBusy extends Schema.TaggedError<SignInBusy>()("SignInBusy", retryAfter) {
  override get message() {
    return `Too many people are signing in at the moment; try again in ${this.retryAfter} seconds`
  }
}

export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("NotSignedIn", {}) {
  override get message() {
    return "You are not signed in, or your session has ended; sign in again"
  }
}

/** Another origin sent the request, which may carry the cookie of a signed-in merchant. */
export class ForeignOrigin extends Schema.TaggedError<ForeignOrigin>()("ForeignOrigin", {}) {
  override get message() {
    return "The request comes from another origin; open the service at its PUBLIC_URL or, if it has none, at localhost"
  }
}

/** New session and its token in clear text, which is set as a cookie. Only the SHA-256 of the token is stored. */
export interface NewSession {
  readonly token: Redacted.Redacted
  readonly signedIn: SignedIn
}

/** Session with an open connection, such as a socket, and the stores that the connection reports on. */
export interface SessionConnection {
  readonly merchantId: MerchantId
  readonly sessionId: SessionId
  readonly stores: ReadonlyArray<StoreId>
}

/** Browser that requests a session. */
export interface Browser {
  readonly address: string
  readonly userAgent: string | undefined
  /** Token of the previous session of the browser, which ends. */
  readonly replaced: Redacted.Redacted | undefined
}

/** Sessions of merchants. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Creates a session if the password is correct, and ends the previous session of the browser. Attempts are counted
     * before the password check, so that concurrent attempts cannot exceed the limit. A success removes its own attempt
     * and the failures of the account from that address. Neither the response nor its duration reveals whether the
     * account exists.
     */
    readonly signIn: (
      attempt: Browser & { readonly email: Email; readonly password: Redacted.Redacted }
    ) => Effect.Effect<NewSession, SignInRefused | TooManySignIns | SignInBusy>
    /**
     * Creates an account and a session. Attempts are counted before any other work. The response for a taken e-mail
     * address takes as long as for a new one; {@link MAX_SIGN_UPS} limits how many addresses can be probed
     * (docs/spec/accounts.md).
     */
    readonly signUp: (
      account: Browser & { readonly email: Email; readonly name: string; readonly password: Redacted.Redacted }
    ) => Effect.Effect<NewSession, EmailTaken | TooManySignUps | SignInBusy>
    /**
     * Returns the session of a cookie token and the merchant's roles in `stores`. Stores that are deleted or of which
     * they are not a member have no role. Counts as use of the session.
     */
    readonly find: (
      token: Redacted.Redacted,
      stores: ReadonlyArray<StoreId>
    ) => Effect.Effect<SessionWithRoles, NotSignedIn>
    /**
     * Same as `find`, and counts up to `calls` calls: the rate limit admits as many as are left in the merchant's
     * window.
     */
    readonly admit: (
      token: Redacted.Redacted,
      stores: ReadonlyArray<StoreId>,
      calls: number
    ) => Effect.Effect<Admitted, NotSignedIn>
    /**
     * Returns the indexes of holders whose session has ended or who lost access to one of their stores. Does not count
     * as use of a session.
     */
    readonly ended: (holders: ReadonlyArray<SessionConnection>) => Effect.Effect<ReadonlyArray<number>>
    /** Ends the session of a token, if it exists. */
    readonly signOut: (token: Redacted.Redacted) => Effect.Effect<void>
    /** Lists the active sessions of a merchant, newest first. */
    readonly list: (merchant: MerchantId) => Effect.Effect<ReadonlyArray<SessionSummary>>
    /**
     * Ends a session of the merchant; its next request is rejected. Returns none if the merchant has no such session.
     */
    readonly end: (merchant: MerchantId, session: SessionId) => Effect.Effect<Option.Option<SessionId>>
    /**
     * Changes the password after checking the current one. Failures are counted as in `signIn`, by session instead of
     * address. Ends all other sessions and returns their number.
     */
    readonly changePassword: (
      by: Pick<SignedIn, "merchantId" | "sessionId">,
      passwords: { readonly current: Redacted.Redacted; readonly next: Redacted.Redacted }
    ) => Effect.Effect<number, WrongPassword | TooManySignIns | SignInBusy>
    /** Deletes one batch of expired sessions and attempts and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Sessions") {}
