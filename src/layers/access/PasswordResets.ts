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
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { findMember } from "./Merchants.ts"
import { Passwords } from "./Passwords.ts"
import { formatStoreToken } from "./StoreTokens.ts"

const readResetLink = requiredRowReader(ResetLink)
const readMerchant = rowReader(Schema.Struct({ id: Schema.toType(MerchantId) }))
const readPermission = requiredRowReader(Schema.Struct({ isAllowed: Schema.Boolean }))
const readReset = rowReader(
  Schema.Struct({
    merchantId: Schema.toType(MerchantId),
    storeId: Schema.NullOr(Schema.toType(StoreId)),
    createdBy: Schema.NullOr(Schema.toType(MerchantId)),
    email: Schema.toType(Email)
  })
)
const readStores = rowsReader(Schema.Struct({ storeId: Schema.toType(StoreId) }))

/**
 * Condition under which owner `r.created_by` may reset the password of member `r.merchant_id`, as far as this cell knows: the
 * account opens no store of the cell that the owner does not control. Owners change their own password with the current one.
 */
const MAY_RESET = `
  r.merchant_id <> r.created_by
  and exists (select from members m where m.store_id = r.store_id and m.merchant_id = r.merchant_id)
  and not exists (
    select from members m where m.merchant_id = r.merchant_id and not exists (
      select from members o where o.store_id = m.store_id and o.merchant_id = r.created_by and o.role = 'owner'
    )
  )
`

/** Reset of a member's password by an owner of a store. */
interface OwnerReset {
  readonly storeId: StoreId
  readonly merchantId: MerchantId
  readonly createdBy: MerchantId
}

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
  const { isCopied, sql: globalSql } = yield* GlobalDatabase
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
          select r.merchant_id as "merchantId", r.store_id as "storeId", r.created_by as "createdBy", m.email
          from password_resets r join merchants m on m.id = r.merchant_id
          where r.token_hash = ${sha256(token)} and ${isUsable}
        `)
    )

  /**
   * True if the account develops no apps and may open no store outside of this cell. A store counts from its entry in the index
   * on, which precedes the membership. The cell of the link's store must also be that of all others, so that their owners are
   * known here.
   */
  const isOnlyHere = Effect.fnUntraced(function* ({ createdBy, merchantId, storeId }: OwnerReset) {
    const owned = yield* readStores(sql`
      select o.store_id as "storeId" from members o join stores s on s.id = o.store_id and s.moved_at is null
      where o.merchant_id = ${createdBy} and o.role = 'owner'
    `)
    const { isAllowed } = yield* readPermission(globalSql`
      select not exists (select from apps a where a.developer_id = ${merchantId})
        and not (${isCopied} and exists (select from members m where m.merchant_id = ${merchantId}))
        and not exists (
          select from merchant_stores e left join directory d using (store_id) where e.merchant_id = ${merchantId} and (
            e.store_id <> all (${plainArray(owned.map((store) => store.storeId))}::uuid[])
            or d.cell is distinct from (select cell from directory where store_id = ${storeId})
          )
        ) as "isAllowed"
    `)
    return isAllowed
  })

  /** Finds a link that works now. */
  const requireReset = Effect.fnUntraced(function* (token: Redacted.Redacted) {
    const reset = yield* findReset(token)
    const { createdBy, storeId } = reset
    if (createdBy !== null && storeId !== null && !(yield* isOnlyHere({ ...reset, createdBy, storeId }))) {
      return yield* new LinkInvalid()
    }
    return reset
  })

  /**
   * Sets the password and ends the sessions. The lock of the account makes new memberships, their entries in the index and apps
   * wait, so that the link is checked against all of them. It follows the lock of the store, as where members join. The cell
   * commits before the global database: a failure between them costs the link, and changes no password.
   */
  const useReset = Effect.fnUntraced(
    function* (token: Redacted.Redacted, passwordHash: string) {
      const hash = sha256(token)
      const { email, merchantId, storeId } = yield* sql.withTransaction(
        Effect.gen(function* () {
          const found = yield* findReset(token)
          if (found.storeId !== null) {
            yield* Effect.catchTag(lockStore(found.storeId), "StoreNotFound", () => new LinkInvalid())
          }
          yield* globalSql`select from merchants where id = ${found.merchantId} for update`
          const reset = yield* requireReset(token)
          const used = yield* rowCount(sql`delete from password_resets where token_hash = ${hash}`)
          if (used === 0) return yield* new LinkInvalid()
          const { merchantId, storeId } = reset
          if (storeId !== null) {
            const change = record(storeId, "member", merchantId, { resetLink: "created" }, { resetLink: "used" })
            yield* performAs(storeId, merchantId, change)
          }
          return reset
        })
      )
      // An owner may know the new password, so that another store must not take the address as proof of the person.
      yield* globalSql`
        update merchants set password_hash = ${passwordHash}, is_claimed = ${storeId !== null} where id = ${merchantId}
      `
      yield* globalSql`delete from sessions where merchant_id = ${merchantId}`
      return { email }
    },
    globalSql.withTransaction,
    orDefect
  )

  return {
    createReset: (store, by, merchant) => {
      const token = formatStoreToken("reset_", store)
      const write = Effect.gen(function* () {
        yield* lockStore(store)
        if ((yield* findMember(sql, store, merchant)) === null) {
          return yield* new MemberNotFound({ merchantId: merchant })
        }
        const { isAllowed } = yield* readPermission(sql`
            select ${mayReset} as "isAllowed"
            from (select ${store}::uuid as store_id, ${merchant}::uuid as merchant_id, ${by}::uuid as created_by) r
          `)
        const isWhole = isAllowed && (yield* isOnlyHere({ storeId: store, merchantId: merchant, createdBy: by }))
        if (!isWhole) return yield* new ResetRefused({ merchantId: merchant })
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
          Effect.map(requireReset(token), ({ email }) => ({ email }))
        ),
      orDefect
    ),

    reset: Effect.fn("AccountLinks.reset")(
      ({ address, password, token }) =>
        attempt(
          address,
          Effect.gen(function* () {
            yield* requireReset(token)
            const passwordHash = yield* passwords.withPermit(({ makeHash }) => makeHash(password))
            return yield* useReset(token, passwordHash)
          })
        ),
      orDefect
    )
  } satisfies Partial<typeof AccountLinks.Service>
})
