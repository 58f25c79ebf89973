import { Context, type Effect, type Redacted, Schema, SchemaTransformation } from "effect"
import { MerchantId } from "./Ids.ts"
import { StoreId, type StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"

const MAX_EMAIL = 254

/** E-mail address, at most 254 characters (RFC 5321). Case-insensitive and stored in lower case. */
export const Email = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => text.trim().toLowerCase(), encode: (text) => text })
  ),
  Schema.check(
    Schema.makeFilter(
      (text) =>
        (text.length <= MAX_EMAIL && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text)) ||
        `must be an e-mail address of at most ${MAX_EMAIL} characters`
    )
  ),
  Schema.brand("Email")
)
export type Email = typeof Email.Type

const PASSWORD = { least: 12, most: 256 }

/**
 * Tests the length of a password instead of its character classes (NIST SP 800-63B, section 3.1.1.2), after Unicode
 * normalization, so that all keyboards produce the same text. The upper bound limits the cost of hashing.
 */
const isPassword = (text: string) => {
  const { length } = text.normalize("NFKC")
  return length >= PASSWORD.least && length <= PASSWORD.most
}

/** New password of an account. */
export const Password = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(isPassword, { message: `must have ${PASSWORD.least} to ${PASSWORD.most} characters` })
  )
)

const MAX_CLAIMED = PASSWORD.most * 4

/** Password given at sign-in. Its error does not reveal whether an account may have it. */
export const PasswordAttempt = Schema.RedactedFromValue(
  Schema.String.check(Schema.isMaxLength(MAX_CLAIMED, { message: `must be text of at most ${MAX_CLAIMED} characters` }))
)

/** Role of a merchant in a store: owners may do everything; staff may not manage members and billing. */
export const Role = Schema.Literals(["owner", "staff"])
export type Role = typeof Role.Type

/** Membership of a merchant in a store. */
export const Membership = Schema.Struct({
  storeId: Schema.toType(StoreId),
  storeName: Schema.String,
  timezone: Schema.String.annotate({ description: "IANA name of the time zone of the store" }),
  role: Role
})
export type Membership = typeof Membership.Type

/** Account of a merchant with its memberships. */
export const Account = Schema.Struct({
  merchantId: Schema.toType(MerchantId),
  email: Schema.toType(Email),
  name: Schema.String,
  stores: Schema.Array(Membership).annotate({ description: "Memberships, ordered by store name" })
})
export type Account = typeof Account.Type

/** Member of a store, as other members see them. */
export const Member = Schema.Struct({
  merchantId: Schema.toType(MerchantId),
  name: Schema.String,
  email: Schema.toType(Email),
  role: Role,
  createdAt: Schema.Date
})
export type Member = typeof Member.Type

export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", { email: Email }) {
  override get message() {
    return `An account with the e-mail address ${this.email} already exists; sign in if it is yours`
  }
}

export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("MerchantNotFound", { email: Email }) {
  override get message() {
    return `No merchant has the e-mail address ${this.email}; the operator of the service creates accounts, and owners invite members with a link`
  }
}

export class EmailUnproven extends Schema.TaggedError<EmailUnproven>()("EmailUnproven", { email: Email }) {
  override get message() {
    return `The e-mail address ${this.email} is not verified; invite the person with a link, or let the operator of the service reset the password of the account, which verifies it`
  }
}

export class OwnersOnly extends Schema.TaggedError<OwnersOnly>()("OwnersOnly", {}) {
  override get message() {
    return "Only owners of the store may do this; ask an owner to do it or to make you an owner"
  }
}

export class MemberNotFound extends Schema.TaggedError<MemberNotFound>()("MemberNotFound", { merchantId: MerchantId }) {
  override get message() {
    return `The store has no member ${this.merchantId}; list its members for their ids`
  }
}

export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {}) {
  override get message() {
    return "A store needs at least one owner; make another member an owner first"
  }
}

/** Merchants who sign in to the dashboard, and their memberships. */
export class Merchants extends Context.Service<
  Merchants,
  {
    /** Creates an account. Only the argon2id hash of the password is stored (docs/spec/accounts.md). */
    readonly create: (merchant: {
      readonly email: Email
      readonly name: string
      readonly password: Redacted.Redacted
    }) => Effect.Effect<MerchantId, EmailTaken>
    /** Returns the account of an e-mail address whose owner is verified. */
    readonly find: (email: Email) => Effect.Effect<MerchantId, MerchantNotFound | EmailUnproven>
    /** Returns an account with its memberships. */
    readonly account: (id: MerchantId) => Effect.Effect<Account>
    /**
     * Sets a new password and ends all sessions of the account. The operator hands the password to the owner of the
     * e-mail address, so that the address counts as verified. Returns the number of ended sessions.
     */
    readonly resetPassword: (email: Email, password: Redacted.Redacted) => Effect.Effect<number, MerchantNotFound>
    /** Adds a merchant to a store, or changes the role of a member. */
    readonly join: (
      store: StoreId,
      email: Email,
      role: Role
    ) => Write<MerchantId, StoreNotFound | MerchantNotFound | EmailUnproven | LastOwner>
    /** Removes a member. After the commit, the merchant has no access to the store. */
    readonly leave: (store: StoreId, merchant: MerchantId) => Write<void, StoreNotFound | MemberNotFound | LastOwner>
    /** Lists the members of a store, owners first. */
    readonly members: (store: StoreId) => Effect.Effect<ReadonlyArray<Member>>
    /** Lists the stores of a merchant by name, excluding deleted ones. */
    readonly memberships: (merchant: MerchantId) => Effect.Effect<ReadonlyArray<Membership>>
  }
>()("domain/Merchants") {}
