import { Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type AccountLinks,
  LinkInvalid,
  RESET_HOURS,
  ResetLink,
  ResetRefused,
  type TooManyLinkAttempts
} from "../../domain/access/AccountLinks.ts"
import { MerchantId } from "../../domain/access/Ids.ts"
import { Email, MemberNotFound, MerchantNotFound } from "../../domain/access/Merchants.ts"
import { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { newToken, sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { findMember } from "./Merchants.ts"
import { Passwords } from "./Passwords.ts"

const readResetLink = requiredRowReader(ResetLink)
const readMerchant = rowReader(Schema.Struct({ id: Schema.toType(MerchantId) }))
const readPermission = requiredRowReader(Schema.Struct({ isAllowed: Schema.Boolean }))
const readReset = rowReader(
  Schema.Struct({
    merchantId: Schema.toType(MerchantId),
    storeId: Schema.NullOr(Schema.toType(StoreId)),
    email: Schema.toType(Email)
  })
)

/**
 * Condition under which owner `r.created_by` may reset the password of member `r.merchant_id`: the account opens nothing
 * that the owner does not control, and no store of another cell, whose owners are not known here. Owners change their own
 * password with the current one.
 */
const MAY_RESET = `
  r.merchant_id <> r.created_by
  and exists (select from members m where m.store_id = r.store_id and m.merchant_id = r.merchant_id)
  and not exists (
    select from members m where m.merchant_id = r.merchant_id and not exists (
      select from members o where o.store_id = m.store_id and o.merchant_id = r.created_by and o.role = 'owner'
    )
  )
  and not exists (select from apps a where a.developer_id = r.merchant_id)
  and not exists (select from merchant_stores e where e.merchant_id = r.merchant_id)
`

/** Fails if no link was found. */
export const required = <A, E>(found: Effect.Effect<Option.Option<A>, E>) =>
  Effect.flatMap(found, (value): Effect.Effect<A, LinkInvalid> =>
    Option.isSome(value) ? Effect.succeed(value.value) : new LinkInvalid()
  )

type Attempt = <A, E>(address: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E | TooManyLinkAttempts>
type PerformAs = <A, E>(storeId: StoreId, id: MerchantId, write: Write<A, E>) => Effect.Effect<A, E>

/** Operations of {@link AccountLinks} on password resets. */
export const passwordResets = Effect.fnUntraced(function* (attempt: Attempt, performAs: PerformAs) {
  const sql = yield* SqlClient.SqlClient
  const { record } = yield* AdministeredChanges
  const { lockStore } = yield* StoreAllocation
  const passwords = yield* Passwords
  const mayReset = sql.literal(MAY_RESET)
  const isUsable = sql`r.expires_at > clock_timestamp() and (r.created_by is null or ${mayReset})`

  /** Stores the hash of a reset link. */
  const putReset = (merchant: MerchantId, token: Redacted.Redacted, store: StoreId | null, by: MerchantId | null) =>
    readResetLink(sql`
        insert into password_resets (merchant_id, token_hash, store_id, created_by, expires_at)
        values (
          ${merchant}, ${sha256(token)}, ${store}, ${by}, clock_timestamp() + interval '${constant(RESET_HOURS)} hours'
        )
        on conflict (merchant_id) do update set token_hash = excluded.token_hash, store_id = excluded.store_id,
          created_by = excluded.created_by, expires_at = excluded.expires_at
        returning merchant_id as "merchantId", expires_at as "expiresAt"
      `)

  const findReset = (token: Redacted.Redacted) =>
    required(
      readReset(sql`
          select r.merchant_id as "merchantId", r.store_id as "storeId", m.email
          from password_resets r join merchants m on m.id = r.merchant_id
          where r.token_hash = ${sha256(token)} and ${isUsable}
        `)
    )

  /**
   * Sets the password and ends the sessions. The lock of the account makes new memberships and apps wait, so that the
   * link is checked against all of them.
   */
  const useReset = Effect.fnUntraced(
    function* (token: Redacted.Redacted, passwordHash: string) {
      const hash = sha256(token)
      yield* sql`
          select from merchants where id = (select merchant_id from password_resets where token_hash = ${hash}) for update
        `
      const { email, merchantId, storeId } = yield* findReset(token)
      const used = yield* rowCount(sql`delete from password_resets where token_hash = ${hash}`)
      if (used === 0) return yield* new LinkInvalid()
      // An owner may know the new password, so that another store must not take the address as proof of the person.
      yield* sql`
          update merchants set password_hash = ${passwordHash}, is_claimed = ${storeId !== null} where id = ${merchantId}
        `
      yield* sql`delete from sessions where merchant_id = ${merchantId}`
      if (storeId !== null) {
        const change = record(storeId, "member", merchantId, { resetLink: "created" }, { resetLink: "used" })
        yield* performAs(storeId, merchantId, change)
      }
      return { email }
    },
    sql.withTransaction,
    orDefect
  )

  return {
    createReset: (store, by, merchant) => {
      const token = newToken("reset_")
      const write = Effect.gen(function* () {
        yield* lockStore(store)
        if ((yield* findMember(sql, store, merchant)) === null) {
          return yield* new MemberNotFound({ merchantId: merchant })
        }
        const { isAllowed } = yield* readPermission(sql`
            select ${mayReset} as "isAllowed"
            from (select ${store}::uuid as store_id, ${merchant}::uuid as merchant_id, ${by}::uuid as created_by) r
          `)
        if (!isAllowed) return yield* new ResetRefused({ merchantId: merchant })
        const link = yield* putReset(merchant, token, store, by)
        yield* record(store, "member", merchant, { resetLink: null }, { resetLink: "created" })
        return link
      }).pipe(orDefect, Effect.withSpan("AccountLinks.createReset"))
      return { token, write }
    },

    createOperatorReset: Effect.fn("AccountLinks.createOperatorReset")(function* (email) {
      const found = yield* readMerchant(sql`select id from merchants where email = ${email}`)
      if (Option.isNone(found)) return yield* new MerchantNotFound({ email })
      const token = newToken("reset_")
      return { token, ...(yield* putReset(found.value.id, token, null, null)) }
    }, orDefect),

    readReset: Effect.fn("AccountLinks.readReset")(
      ({ address, token }) =>
        attempt(
          address,
          Effect.map(findReset(token), ({ email }) => ({ email }))
        ),
      orDefect
    ),

    reset: Effect.fn("AccountLinks.reset")(
      ({ address, password, token }) =>
        attempt(
          address,
          Effect.gen(function* () {
            yield* findReset(token)
            const passwordHash = yield* passwords.withPermit(({ makeHash }) => makeHash(password))
            return yield* useReset(token, passwordHash)
          })
        ),
      orDefect
    )
  } satisfies Partial<typeof AccountLinks.Service>
})
