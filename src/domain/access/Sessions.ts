import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import { MerchantId } from "../Actor.ts"
import { Counted } from "../RateLimit.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { Email, type EmailTaken, Role } from "./Merchants.ts"

/** A session nobody uses ends after so many hours, and every one after so many days (decisions, section 13). */
export const IDLE_HOURS = 24
export const SESSION_DAYS = 30

/**
 * Wrong passwords that are compared in so many minutes: for one account from one address, for an account, from an address.
 * Right ones count in none of them. The addresses of an IPv6 network of 64 bits count as one.
 */
export const SIGN_IN_MINUTES = 15
export const SIGN_IN_LIMITS = { pair: 10, account: 100, address: 100 }

/** Accounts in as many minutes that are made from an address, or would be if theirs were not taken. */
export const MAX_SIGN_UPS = 30

export const SessionId = Uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** Who is signed in. */
export const SignedIn = Schema.Struct({
  sessionId: Schema.toType(SessionId),
  merchantId: Schema.toType(MerchantId),
  email: Schema.toType(Email),
  name: Schema.String
})
export type SignedIn = typeof SignedIn.Type

/** Who is signed in, and what they may do in those stores, of the ones that were asked about, that they are members of. */
export const Found = Schema.Struct({
  ...SignedIn.fields,
  roles: Schema.Record(Schema.String, Role)
})
export type Found = typeof Found.Type

/** The same of who calls, and how many of the calls their window took. */
export const Admitted = Schema.Struct({ ...Found.fields, ...Counted.fields })
export type Admitted = typeof Admitted.Type

/** A session as its merchant sees it in a list, to end one that is not theirs. */
export const SessionSummary = Schema.Struct({
  sessionId: Schema.toType(SessionId),
  /** What the browser called itself when it signed in. */
  userAgent: Schema.NullOr(Schema.String),
  address: Schema.String,
  createdAt: Schema.Date,
  /** To the minute. */
  seenAt: Schema.Date
})
export type SessionSummary = typeof SessionSummary.Type

/** The same for an account that there is and one that there is not. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {
  override get message() {
    return "The e-mail address or the password is wrong"
  }
}

/** Told to who is signed in, of their own password. */
export class WrongPassword extends Schema.TaggedError<WrongPassword>()("WrongPassword", {}) {
  override get message() {
    return "The current password is wrong; type it again, or ask who runs the service for a new one"
  }
}

/** Seconds after which the same is no longer refused. */
const retryAfter = { retryAfter: Schema.Int }

const minutes = (seconds: number) => {
  const whole = Math.ceil(seconds / 60)
  return whole === 1 ? "1 minute" : `${whole} minutes`
}

export class TooManySignIns extends Schema.TaggedError<TooManySignIns>()("TooManySignIns", retryAfter) {
  override get message() {
    return `Too many attempts to sign in failed; wait ${minutes(this.retryAfter)}, or ask who runs the service for a new password`
  }
}

export class TooManySignUps extends Schema.TaggedError<TooManySignUps>()("TooManySignUps", retryAfter) {
  override get message() {
    return `Too many accounts were created from your network; wait ${minutes(this.retryAfter)}`
  }
}

/** More passwords wait to be compared than a process keeps in line. Nothing was counted. */
export class SignInBusy extends Schema.TaggedError<SignInBusy>()("SignInBusy", retryAfter) {
  override get message() {
    return `Too many people are signing in at the moment; try again in ${this.retryAfter} seconds`
  }
}

export class NotSignedIn extends Schema.TaggedError<NotSignedIn>()("NotSignedIn", {}) {
  override get message() {
    return "Nobody is signed in, or the session has ended; sign in again"
  }
}

/** A page of another origin sent the request, which may carry the cookie of a merchant who is signed in. */
export class ForeignOrigin extends Schema.TaggedError<ForeignOrigin>()("ForeignOrigin", {}) {
  override get message() {
    return "The request comes from a page of another address; open the service at its PUBLIC_URL or, if it has none, at localhost"
  }
}

/** A session's token in clear, which goes into a cookie: only its SHA-256 is kept. */
export interface NewSession {
  readonly token: Redacted.Redacted
  readonly signedIn: SignedIn
}

/** Who holds something open by a session, as a socket, and the stores that it tells of. */
export interface Holder {
  readonly merchantId: MerchantId
  readonly sessionId: SessionId
  readonly stores: ReadonlyArray<StoreId>
}

/** What a browser that asks for a session tells of itself. */
export interface Browser {
  readonly address: string
  readonly userAgent: string | undefined
  /** The session that it had before, which ends. */
  readonly replaced: Redacted.Redacted | undefined
}

/** The sessions of merchants. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * A new session for who knows the password; the one that the browser had before ends. An attempt is counted before
     * the password is compared, so that attempts at once cannot exceed the limit. A success takes its own attempt back,
     * and the failures of its account from its address. Neither the answer nor its time tells whether there is such an account.
     */
    readonly signIn: (
      attempt: Browser & { readonly email: Email; readonly password: Redacted.Redacted }
    ) => Effect.Effect<NewSession, SignInRefused | TooManySignIns | SignInBusy>
    /**
     * A new account, and a session for who made it. It is counted before any work is done for it. That an address is taken
     * takes as long to answer as that it is not; that it can be told is bounded by {@link MAX_SIGN_UPS} (decisions,
     * section 13).
     */
    readonly signUp: (
      account: Browser & { readonly email: Email; readonly name: string; readonly password: Redacted.Redacted }
    ) => Effect.Effect<NewSession, EmailTaken | TooManySignUps | SignInBusy>
    /**
     * Who a token of a cookie belongs to, and what they may do in `stores`: nothing where they are no member, or the store
     * was deleted. The session counts as used.
     */
    readonly find: (token: Redacted.Redacted, stores: ReadonlyArray<StoreId>) => Effect.Effect<Found, NotSignedIn>
    /** The same for who makes so many calls, of which the merchant's window takes as many as were left in it. */
    readonly admit: (
      token: Redacted.Redacted,
      stores: ReadonlyArray<StoreId>,
      calls: number
    ) => Effect.Effect<Admitted, NotSignedIn>
    /**
     * The places of those whose session has ended, or who are no longer a member of all of the stores. Asked again and
     * again, it counts as no use of a session.
     */
    readonly ended: (holders: ReadonlyArray<Holder>) => Effect.Effect<ReadonlyArray<number>>
    /** Ends the session of a token, if there is one. */
    readonly signOut: (token: Redacted.Redacted) => Effect.Effect<void>
    /** The sessions of a merchant that have not ended, the newest first. */
    readonly list: (merchant: MerchantId) => Effect.Effect<ReadonlyArray<SessionSummary>>
    /** Ends one of a merchant's sessions: its next request is refused. None, if it is nobody's or another's. */
    readonly end: (merchant: MerchantId, session: SessionId) => Effect.Effect<Option.Option<SessionId>>
    /**
     * Gives an account the password `next`, asked by one of its sessions for who knows the password that it has. A wrong
     * one is counted as in `signIn`, the session standing for the address. The other sessions end; answers how many did.
     */
    readonly changePassword: (
      by: Pick<SignedIn, "merchantId" | "sessionId">,
      passwords: { readonly current: Redacted.Redacted; readonly next: Redacted.Redacted }
    ) => Effect.Effect<number, WrongPassword | TooManySignIns | SignInBusy>
    /** Deletes sessions and counted attempts whose time is over, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Sessions") {}
