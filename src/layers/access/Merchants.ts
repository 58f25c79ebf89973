import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  Email,
  EmailTaken,
  EmailUnproven,
  LastOwner,
  MemberNotFound,
  Member,
  Membership,
  MerchantNotFound,
  Merchants,
  Role
} from "../../domain/access/Merchants.ts"
import { MerchantId } from "../../domain/access/Ids.ts"
import type { StoreId } from "../../domain/Store.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { orDefect } from "../sql/Errors.ts"
import { readArrived } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import type { Statement } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { Passwords } from "./Passwords.ts"

/** Roles of this release, as an SQL list. Members with a role that only a newer release knows have no access. */
export const KNOWN_ROLES = Role.literals.map((role) => `'${role}'`).join(", ")

const readAccount = requiredRowReader(
  Schema.Struct({ merchantId: Schema.toType(MerchantId), email: Schema.toType(Email), name: Schema.String })
)

const readIdentity = rowReader(Schema.Struct({ id: Schema.toType(MerchantId), isClaimed: Schema.Boolean }))

const readId = rowReader(Schema.Struct({ id: Schema.toType(MerchantId) }))

const readMember = rowReader(Schema.Struct({ merchantId: Schema.toType(MerchantId), name: Schema.String, role: Role }))

interface NewMerchant {
  readonly email: Email
  readonly name: string
  readonly passwordHash: string
  /** True if nobody has verified the owner of the e-mail address. */
  readonly isClaimed: boolean
}

/** Inserts an account and its rate-limit window, unless the e-mail address has an account. */
export const insertMerchant = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { email, isClaimed, name, passwordHash }: NewMerchant
) {
  const inserted = yield* readId(sql`
    with merchant as (
      insert into merchants (id, email, name, password_hash, is_claimed)
      values (uuid_v7(clock_micros()), ${email}, ${name}, ${passwordHash}, ${isClaimed})
      on conflict (email) do nothing returning id
    )
    insert into merchant_call_windows (merchant_id) select id from merchant returning merchant_id as id
  `)
  return Option.isSome(inserted) ? inserted.value.id : yield* new EmailTaken({ email })
}, orDefect)

/** Finds a member as the journal stores it. */
export const findMember = (sql: SqlClient.SqlClient, store: StoreId, merchant: MerchantId) =>
  Effect.map(
    readMember(sql`
      select m.merchant_id as "merchantId", name, m.role from members m join merchants on id = m.merchant_id
      where m.store_id = ${store} and m.merchant_id = ${merchant} and m.role in (${sql.literal(KNOWN_ROLES)})
    `),
    Option.getOrNull
  )

const readIndexed = rowReader(Schema.Struct({ isProven: Schema.Boolean }))

/**
 * Records in the global database that an account may be a member of a store of another cell, before the membership commits. The
 * lock makes it wait for a reset of the password, which is checked against the index. Without an invitation, an account with an
 * unverified address that is new to the store is not recorded, and the result is false: the copy of the cell may be older.
 */
export const indexMember = (
  sql: SqlClient.SqlClient,
  member: { readonly merchant: MerchantId; readonly store: StoreId; readonly isInvited: boolean }
) =>
  Effect.map(
    readIndexed(sql`
      with merchant as (
        select id, not is_claimed or ${member.isInvited} or exists (
          select from merchant_stores e where e.merchant_id = id and e.store_id = ${member.store}
        ) as is_proven from merchants where id = ${member.merchant} for key share
      ), indexed as (
        insert into merchant_stores (merchant_id, store_id)
        select id, ${member.store} from merchant where is_proven on conflict do nothing
      )
      select is_proven as "isProven" from merchant
    `),
    Option.exists(({ isProven }) => isProven)
  )

export const MerchantsLive = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const { lockStore } = yield* StoreAllocation
    const passwords = yield* Passwords
    const arrived = yield* readArrived

    const listMemberships = SqlSchema.findAll({
      Request: MerchantId,
      Result: Membership,
      execute: (merchant) => sql`
        select m.store_id as "storeId", s.name as "storeName", s.timezone, m.role
        from members m join stores s on s.id = m.store_id and s.deleted_at is null
        where m.merchant_id = ${merchant} and m.role in (${sql.literal(KNOWN_ROLES)}) order by s.name, s.id
      `
    })

    const listMembers = SqlSchema.findAll({
      Request: Schema.String,
      Result: Member,
      execute: (store) => sql`
        select m.merchant_id as "merchantId", name, email, role, m.created_at as "createdAt"
        from members m join merchants on id = m.merchant_id
        where m.store_id = ${store} and m.role in (${sql.literal(KNOWN_ROLES)}) order by role, name, email
      `
    })

    /** Returns the account of an e-mail address whose owner is verified, or that is a member of the store. */
    const requireVerified = Effect.fnUntraced(function* (email: Email, store: StoreId | null = null) {
      const merchant = yield* arrived(
        readIdentity(sql`
          select id, is_claimed and not exists (
            select from members where store_id = ${store} and merchant_id = id
          ) as "isClaimed" from merchants where email = ${email}
        `)
      )
      if (Option.isNone(merchant)) return yield* new MerchantNotFound({ email })
      return merchant.value.isClaimed ? yield* new EmailUnproven({ email }) : merchant.value.id
    })

    const requireOwner = Effect.fnUntraced(function* (store: StoreId) {
      const owners = yield* sql`select 1 from members where store_id = ${store} and role = 'owner' limit 1`
      if (owners.length === 0) yield* new LastOwner()
    })

    /** Runs the change of a membership under the lock of the store. Returns the number of changed members: 0 or 1. */
    const changeMember = Effect.fnUntraced(function* (store: StoreId, id: MerchantId, change: Statement) {
      const before = yield* findMember(sql, store, id)
      const count = yield* rowCount(change)
      if (count > 0) yield* requireOwner(store)
      yield* recordAdministered(store, "member", id, before, yield* findMember(sql, store, id))
      return count
    })

    /** Replaces the password of an account and ends its sessions. Returns their number. */
    const replacePassword = Effect.fnUntraced(function* (email: Email, passwordHash: string) {
      const merchant = yield* readId(sql`
        update merchants set password_hash = ${passwordHash}, is_claimed = false where email = ${email} returning id
      `)
      if (Option.isNone(merchant)) return yield* new MerchantNotFound({ email })
      return yield* rowCount(sql`delete from sessions where merchant_id = ${merchant.value.id}`)
    }, sql.withTransaction)

    return Merchants.of({
      memberships: Effect.fn("Merchants.memberships")(listMemberships, orDefect),

      account: Effect.fn("Merchants.account")(function* (id) {
        const account = yield* readAccount(sql`
          select id as "merchantId", email, name from merchants where id = ${id}
        `)
        return { ...account, stores: yield* listMemberships(id) }
      }, orDefect),

      create: Effect.fn("Merchants.create")(function* ({ email, name, password }) {
        const passwordHash = yield* passwords.makeHash(password)
        return yield* insertMerchant(sql, { email, name, passwordHash, isClaimed: false })
      }),

      find: Effect.fn("Merchants.find")((email) => requireVerified(email), orDefect),

      resetPassword: Effect.fn("Merchants.resetPassword")(function* (email, password) {
        const passwordHash = yield* passwords.makeHash(password)
        return yield* replacePassword(email, passwordHash)
      }, orDefect),

      // The lock of the store serializes changes of members: of two owners who leave at once, the second one is refused.
      join: Effect.fn("Merchants.join")(function* (store, email, role) {
        yield* lockStore(store)
        const id = yield* requireVerified(email, store)
        yield* changeMember(
          store,
          id,
          sql`
            insert into members (store_id, merchant_id, role) values (${store}, ${id}, ${role})
            on conflict (store_id, merchant_id) do update set role = excluded.role
          `
        )
        return id
      }, orDefect),

      leave: Effect.fn("Merchants.leave")(function* (store, merchant) {
        yield* lockStore(store)
        const left = yield* changeMember(
          store,
          merchant,
          sql`delete from members where store_id = ${store} and merchant_id = ${merchant}`
        )
        if (left === 0) return yield* new MemberNotFound({ merchantId: merchant })
      }, orDefect),

      members: Effect.fn("Merchants.members")(listMembers, orDefect)
    })
  })
)
