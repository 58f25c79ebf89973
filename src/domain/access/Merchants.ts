import { Context, type Effect, type Redacted, Schema, SchemaTransformation } from "effect"
import { MerchantId } from "../Actor.ts"
import { StoreId, type StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"

const MAX_EMAIL = 254

/** An address for mail (RFC 5321 allows 254 characters). Case tells no two accounts apart: it is held in lower case. */
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
 * Long rather than of many kinds of characters (NIST SP 800-63B, section 3.1.1.2), and in one form of Unicode, so that
 * every keyboard types the same. The upper bound is there because somebody else pays for what is hashed.
 */
const isPassword = (text: string) => {
  const { length } = text.normalize("NFKC")
  return length >= PASSWORD.least && length <= PASSWORD.most
}

/** A password that an account may be given. */
export const Password = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(isPassword, { message: `must have ${PASSWORD.least} to ${PASSWORD.most} characters` })
  )
)

const MAX_CLAIMED = PASSWORD.most * 4

/** A password that somebody claims to know: whether an account may have it is not told to who asks. */
export const ClaimedPassword = Schema.RedactedFromValue(
  Schema.String.check(Schema.isMaxLength(MAX_CLAIMED, { message: `must be text of at most ${MAX_CLAIMED} characters` }))
)

/** What a merchant may do in a store: an owner everything, staff all but members and billing. */
export const Role = Schema.Literals(["owner", "staff"])
export type Role = typeof Role.Type

/** A store that a merchant is a member of. */
export const Membership = Schema.Struct({
  storeId: Schema.toType(StoreId),
  storeName: Schema.String,
  role: Role
})
export type Membership = typeof Membership.Type

/** Who somebody is, and where they work. */
export const Account = Schema.Struct({
  merchantId: Schema.toType(MerchantId),
  email: Schema.toType(Email),
  name: Schema.String,
  stores: Schema.Array(Membership).annotate({ description: "The stores that they are members of, by name" })
})
export type Account = typeof Account.Type

/** A member of a store as the others see them. */
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
    return `There is an account with the e-mail address ${this.email} already; if it is yours, sign in with it`
  }
}

export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("MerchantNotFound", { email: Email }) {
  override get message() {
    return `There is no merchant with the e-mail address ${this.email}; who runs the service makes one with: merchants create`
  }
}

export class EmailUnproven extends Schema.TaggedError<EmailUnproven>()("EmailUnproven", { email: Email }) {
  override get message() {
    return `Whoever has the account of ${this.email} made it themselves, and nobody has shown that the address is theirs; whoever runs the service gives its owner a new password with: merchants reset-password`
  }
}

export class OwnersOnly extends Schema.TaggedError<OwnersOnly>()("OwnersOnly", {}) {
  override get message() {
    return "Only an owner of the store may do this; ask one to do it, or to make you an owner"
  }
}

export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {}) {
  override get message() {
    return "A store keeps at least one owner; make another member an owner first"
  }
}

/** The people who sign in to the dashboard, and the stores that they are members of. */
export class Merchants extends Context.Service<
  Merchants,
  {
    /** A new account. Only the argon2id hash of its password is kept (decisions, section 13). */
    readonly create: (merchant: {
      readonly email: Email
      readonly name: string
      readonly password: Redacted.Redacted
    }) => Effect.Effect<MerchantId, EmailTaken>
    /** The account of an address, which is known to be its owner's. */
    readonly find: (email: Email) => Effect.Effect<MerchantId, MerchantNotFound | EmailUnproven>
    /** What an account says of itself. */
    readonly account: (id: MerchantId) => Effect.Effect<Account>
    /**
     * Another password for an account, whose sessions end with the one before. Who gives it hands it to the owner of the
     * address, so that the account is theirs from then on, whoever made it. Answers how many sessions ended.
     */
    readonly resetPassword: (email: Email, password: Redacted.Redacted) => Effect.Effect<number, MerchantNotFound>
    /** Makes a merchant a member of a store, or gives a member another role. */
    readonly join: (
      store: StoreId,
      email: Email,
      role: Role
    ) => Write<MerchantId, StoreNotFound | MerchantNotFound | EmailUnproven | LastOwner>
    /** From its commit on, the merchant is refused in the store. Answers whether there was such a member. */
    readonly leave: (store: StoreId, merchant: MerchantId) => Write<boolean, StoreNotFound | LastOwner>
    /** The members of a store, owners first. */
    readonly members: (store: StoreId) => Effect.Effect<ReadonlyArray<Member>>
    /** The stores of a merchant that are not deleted, by name. */
    readonly memberships: (merchant: MerchantId) => Effect.Effect<ReadonlyArray<Membership>>
  }
>()("domain/Merchants") {}
