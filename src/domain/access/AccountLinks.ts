import { Context, type Effect, type Redacted, Schema } from "effect"
import { MerchantId } from "./Ids.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import { Email, type EmailTaken, type MemberNotFound, type MerchantNotFound, Role } from "./Merchants.ts"
import { type Browser, minutes, type NewSession, type SignedIn, type SignInBusy } from "./Sessions.ts"

/** Days for which an invitation is valid, and hours for which a reset link is valid (docs/spec/accounts.md). */
export const INVITATION_DAYS = 7
export const RESET_HOURS = 24

/** Maximum number of open invitations of a store. */
export const MAX_INVITATIONS = 100

/** Pages that the links open. The token is in the fragment, which browsers do not send. */
export const LINK_PATHS = { invitation: "/dashboard/invitation", reset: "/dashboard/reset-password" }

export const InvitationId = Uuid.pipe(Schema.brand("InvitationId"))
export type InvitationId = typeof InvitationId.Type

/** Invitation to a store, as its owners see it. */
export const Invitation = Schema.Struct({
  id: Schema.toType(InvitationId),
  email: Schema.toType(Email),
  role: Role,
  state: Schema.Literals(["open", "accepted", "revoked", "expired"]).annotate({
    description: "An invitation also expires when its creator is no longer an owner"
  }),
  createdAt: Schema.Date,
  expiresAt: Schema.Date
})
export type Invitation = typeof Invitation.Type

/** Invitation as the holder of its link sees it. */
export const InvitationOffer = Schema.Struct({
  storeName: Schema.String,
  email: Schema.toType(Email),
  role: Role,
  /** True if the e-mail address has an account, which signs in to accept. */
  hasAccount: Schema.Boolean
})
export type InvitationOffer = typeof InvitationOffer.Type

/** Reset link of an account, without its token. */
export const ResetLink = Schema.Struct({ merchantId: Schema.toType(MerchantId), expiresAt: Schema.Date })
export type ResetLink = typeof ResetLink.Type

/** The error is the same for unknown, expired, revoked and used links. */
export class LinkInvalid extends Schema.TaggedError<LinkInvalid>()("LinkInvalid", {}) {
  override get message() {
    return "This link has expired, was used or does not exist; ask the person who sent it for a new one"
  }
}

/** The signed-in account has another e-mail address than the invitation. */
export class WrongAccount extends Schema.TaggedError<WrongAccount>()("WrongAccount", {}) {
  override get message() {
    return "This invitation is for another e-mail address; sign out, then open the link again"
  }
}

export class TooManyLinkAttempts extends Schema.TaggedError<TooManyLinkAttempts>()("TooManyLinkAttempts", {
  retryAfter: Schema.Int
}) {
  override get message() {
    return `Too many links from your network did not work; wait ${minutes(this.retryAfter)}`
  }
}

export class AlreadyMember extends Schema.TaggedError<AlreadyMember>()("AlreadyMember", { email: Email }) {
  override get message() {
    return `${this.email} is a member of the store already; change the role of the member instead`
  }
}

export class TooManyInvitations extends Schema.TaggedError<TooManyInvitations>()("TooManyInvitations", {}) {
  override get message() {
    return `The store has ${MAX_INVITATIONS} open invitations; revoke one first`
  }
}

/** An owner of one store must not enter another one, or manage apps, with the account of a member. */
export class ResetRefused extends Schema.TaggedError<ResetRefused>()("ResetRefused", { merchantId: MerchantId }) {
  override get message() {
    return "You can create reset links only for other members whose stores you all own and who develop no apps; ask the operator of the service for a reset link"
  }
}

/** Token of a new link in clear text, and the write that stores its hash. */
export interface NewLink<A, E> {
  readonly token: Redacted.Redacted
  readonly write: Write<A, E>
}

interface Opened {
  readonly token: Redacted.Redacted
  /** Address of the client. Links that do not work are counted by address, like failed sign-ins. */
  readonly address: string
}

/** Single-use links: invitations to stores, and password resets. */
export class AccountLinks extends Context.Service<
  AccountLinks,
  {
    /** Invites an e-mail address. Replaces an open invitation for it. */
    readonly invite: (
      store: StoreId,
      by: MerchantId,
      email: Email,
      role: Role
    ) => NewLink<Invitation, StoreNotFound | AlreadyMember | TooManyInvitations>
    /** Lists the invitations of a store: open ones first, then newest first. */
    readonly invitations: (store: StoreId) => Effect.Effect<ReadonlyArray<Invitation>>
    /** Revokes an open invitation. Others stay as they are. */
    readonly revoke: (store: StoreId, id: InvitationId) => Write<void, StoreNotFound>
    /** Reads the invitation of a link. */
    readonly readInvitation: (opened: Opened) => Effect.Effect<InvitationOffer, LinkInvalid | TooManyLinkAttempts>
    /** Creates the account of the invited address, which stays unverified, as a member of the store, and signs in. */
    readonly acceptWithNewAccount: (
      opened: Opened & Browser & { readonly name: string; readonly password: Redacted.Redacted }
    ) => Effect.Effect<
      { readonly storeId: StoreId; readonly session: NewSession },
      LinkInvalid | TooManyLinkAttempts | EmailTaken | SignInBusy
    >
    /** Adds the signed-in account to the store. A member keeps its role. */
    readonly accept: (
      opened: Opened & { readonly by: Pick<SignedIn, "merchantId" | "email"> }
    ) => Effect.Effect<{ readonly storeId: StoreId }, LinkInvalid | TooManyLinkAttempts | WrongAccount>
    /**
     * Creates a reset link for a member, which replaces an older one. Its conditions are checked again when it is used
     * (docs/spec/accounts.md).
     */
    readonly createReset: (
      store: StoreId,
      by: MerchantId,
      merchant: MerchantId
    ) => NewLink<ResetLink, StoreNotFound | MemberNotFound | ResetRefused>
    /** Creates a reset link for any account, for operators. Its use verifies the e-mail address. */
    readonly createOperatorReset: (
      email: Email
    ) => Effect.Effect<ResetLink & { readonly token: Redacted.Redacted }, MerchantNotFound>
    /** Reads the e-mail address whose password a link resets. */
    readonly readReset: (opened: Opened) => Effect.Effect<{ readonly email: Email }, LinkInvalid | TooManyLinkAttempts>
    /** Sets a new password and ends all sessions of the account. */
    readonly reset: (
      opened: Opened & { readonly password: Redacted.Redacted }
    ) => Effect.Effect<{ readonly email: Email }, LinkInvalid | TooManyLinkAttempts | SignInBusy>
    /** Deletes one batch of links that expired long ago and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/AccountLinks") {}
