import { Effect, Layer, Option, Result, Schema, Struct } from "effect"
import {
  type Email,
  EmailTaken,
  EmailUnproven,
  LastOwner,
  Member,
  Membership,
  MerchantNotFound,
  Merchants,
  Role
} from "../../domain/access/Merchants.ts"
import { MerchantId } from "../../domain/Actor.ts"
import type { StoreId } from "../../domain/Store.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Step, withClient } from "../sql/Plan.ts"
import { column } from "../sql/Column.ts"
import { Database } from "../sql/Postgres.ts"
import { sql, type Statement } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { Passwords, PasswordsLive } from "./Passwords.ts"

const Id = column("id", Schema.toType(MerchantId))

const Facts = Member.mapFields(Struct.pick(["merchantId", "email", "name"]))

/**
 * Makes an account with its call window, if there is none of the address. `is_claimed`: whether nobody else says whose
 * the address is.
 */
export const insertMerchant = (email: Email, name: string, passwordHash: string, isClaimed: boolean) => sql`
  with made as (
    insert into merchants (id, email, name, password_hash, is_claimed)
    values (uuid_v7(clock_micros()), ${email}, ${name}, ${passwordHash}, ${isClaimed})
    on conflict (email) do nothing returning id
  )
  insert into merchant_call_windows (merchant_id) select id from made returning merchant_id as id
`

const selectMerchant = (email: Email) => sql`select id, is_claimed as "isClaimed" from merchants where email = ${email}`
const Found = Schema.Struct({ id: Schema.toType(MerchantId), isClaimed: Schema.Boolean })
const foundOf = firstOf(Found)

/** The account of an address, if somebody who knows whose that is gave it to them. */
const proven = (
  email: Email,
  found: Option.Option<typeof Found.Type>
): Result.Result<MerchantId, MerchantNotFound | EmailUnproven> =>
  Option.match(found, {
    onNone: () => Result.fail(new MerchantNotFound({ email })),
    onSome: ({ id, isClaimed }) => (isClaimed ? Result.fail(new EmailUnproven({ email })) : Result.succeed(id))
  })

/** The roles that this release knows, as SQL: to a member with any other, which a newer release gave, it grants nothing. */
export const KNOWN_ROLES = sql.literal(Role.literals.map((role) => `'${role}'`).join(", "))

const putMember = (store: StoreId, merchant: MerchantId, role: typeof Role.Type) => sql`
  insert into members (store_id, merchant_id, role) values (${store}, ${merchant}, ${role})
  on conflict (store_id, merchant_id) do update set role = excluded.role
`
const selectMember = (store: StoreId, merchant: MerchantId) => sql`
  select m.merchant_id as "merchantId", name, m.role from members m join merchants on id = m.merchant_id
  where m.store_id = ${store} and m.merchant_id = ${merchant} and m.role in (${KNOWN_ROLES})
`
const memberOf = firstOf(Member.mapFields(Struct.pick(["merchantId", "name", "role"])))
const deleteMember = (store: StoreId, merchant: MerchantId) =>
  sql`delete from members where store_id = ${store} and merchant_id = ${merchant}`
const selectOwner = (store: StoreId) => sql`select from members where store_id = ${store} and role = 'owner' limit 1`

/** Refuses what would leave the store without an owner. */
const keepOwner = Effect.fnUntraced(function* (store: StoreId): Step<void, LastOwner> {
  if ((yield* countOf(selectOwner(store))) === 0) yield* new LastOwner()
})

/** Changes who a merchant is in a store by a statement, under the lock of the store. Answers of how many: one or none. */
const changed = Effect.fnUntraced(function* (
  store: StoreId,
  id: MerchantId,
  change: Statement
): Step<number, LastOwner> {
  const before = yield* memberOf(selectMember(store, id))
  const count = yield* countOf(change)
  if (count > 0) yield* keepOwner(store)
  const after = yield* memberOf(selectMember(store, id))
  yield* withClient((sql) =>
    recordAdministered(sql, store, "member", id, Option.getOrNull(before), Option.getOrNull(after))
  )
  return count
})

export const MerchantsLive = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const { count, first, rows, transaction } = yield* Database
    const passwords = yield* Passwords
    const idOf = first(Id)
    const accountOf = first(Found)
    const membersOf = rows(Member)
    const membershipsOf = rows(Membership)
    const factsOf = first(Facts)

    const memberships = Effect.fn("Merchants.memberships")((merchant: MerchantId) =>
      membershipsOf(sql`
        select m.store_id as "storeId", s.name as "storeName", m.role
        from members m join stores s on s.id = m.store_id and s.deleted_at is null
        where m.merchant_id = ${merchant} and m.role in (${KNOWN_ROLES}) order by s.name, s.id
      `)
    )

    return Merchants.of({
      memberships,

      account: Effect.fn("Merchants.account")(function* (id) {
        const facts = yield* factsOf(sql`select id as "merchantId", email, name from merchants where id = ${id}`)
        return { ...(yield* Effect.orDie(Effect.fromOption(facts))), stores: yield* memberships(id) }
      }),

      create: Effect.fn("Merchants.create")(function* ({ email, name, password }) {
        const hashed = yield* passwords.make(password)
        const made = yield* idOf(insertMerchant(email, name, hashed, false))
        return yield* Effect.mapError(Effect.fromOption(made), () => new EmailTaken({ email }))
      }),

      find: Effect.fn("Merchants.find")((email) =>
        Effect.flatMap(accountOf(selectMerchant(email)), (found) => Effect.fromResult(proven(email, found)))
      ),

      resetPassword: Effect.fn("Merchants.resetPassword")(function* (email, password) {
        const hashed = yield* passwords.make(password)
        return yield* transaction(
          Effect.gen(function* () {
            const changed = yield* idOf(
              sql`update merchants set password_hash = ${hashed}, is_claimed = false where email = ${email} returning id`
            )
            const id = yield* Effect.mapError(Effect.fromOption(changed), () => new MerchantNotFound({ email }))
            return yield* count(sql`delete from sessions where merchant_id = ${id}`)
          })
        )
      }),

      // Members are changed one after the other: two who leave at once would each see the other stay.
      join: (store, email, role) =>
        Effect.gen(function* () {
          yield* lockedStore(store)
          const found = proven(email, yield* foundOf(selectMerchant(email)))
          const id = Result.isSuccess(found) ? found.success : yield* Effect.fail(found.failure)
          yield* changed(store, id, putMember(store, id, role))
          return id
        }),

      leave: (store, merchant) =>
        Effect.gen(function* () {
          yield* lockedStore(store)
          return (yield* changed(store, merchant, deleteMember(store, merchant))) > 0
        }),

      members: Effect.fn("Merchants.members")((store) =>
        membersOf(sql`
          select m.merchant_id as "merchantId", name, email, role, m.created_at as "createdAt"
          from members m join merchants on id = m.merchant_id
          where m.store_id = ${store} and m.role in (${KNOWN_ROLES}) order by role, name, email
        `)
      )
    })
  })
).pipe(Layer.provide(PasswordsLive))
