import { Effect, Layer, Schema } from "effect"
import {
  type Email,
  EmailTaken,
  LastOwner,
  Member,
  Membership,
  MerchantNotFound,
  Merchants
} from "../../domain/access/Merchants.ts"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { MerchantId } from "../../domain/Actor.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database } from "../database/Postgres.ts"
import { sql } from "../database/Statement.ts"
import { makePasswords } from "./Passwords.ts"

const Id = Schema.Struct({ id: Schema.typeSchema(MerchantId) }).pipe(Schema.pluck("id"))

export const MerchantsLive = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const { count, first, rows, transaction } = yield* Database
    const passwords = yield* makePasswords
    const idOf = first(Id)
    const membersOf = rows(Member)
    const membershipsOf = rows(Membership)

    const find = (email: Email) =>
      Effect.flatMap(idOf(sql`select id from merchants where email = ${email}`), (found) =>
        Effect.mapError(found, () => new MerchantNotFound({ email }))
      )

    /** Members are changed one after the other: two who leave at once would each see the other stay. */
    const lockStore = Effect.fnUntraced(function* (id: StoreId) {
      const found = yield* count(sql`select 1 from stores where id = ${id} and deleted_at is null for no key update`)
      if (found === 0) return yield* new UnknownStore({ id })
    })

    /** Undoes what came before it in the transaction, if it left the store without an owner. */
    const keepOwner = Effect.fnUntraced(function* (store: StoreId) {
      const owners = yield* count(sql`select 1 from members where store_id = ${store} and role = 'owner' limit 1`)
      if (owners === 0) return yield* new LastOwner()
    })

    return Merchants.of({
      create: Effect.fn("Merchants.create")(function* ({ email, name, password }) {
        const hashed = yield* passwords.make(password)
        const made = yield* idOf(sql`
          insert into merchants (id, email, name, password_hash)
          values (uuid_v7(clock_micros()), ${email}, ${name}, ${hashed})
          on conflict (email) do nothing returning id
        `)
        return yield* Effect.mapError(made, () => new EmailTaken({ email }))
      }),

      resetPassword: Effect.fn("Merchants.resetPassword")(function* (email, password) {
        const hashed = yield* passwords.make(password)
        return yield* transaction(
          Effect.gen(function* () {
            const changed = yield* idOf(
              sql`update merchants set password_hash = ${hashed} where email = ${email} returning id`
            )
            const id = yield* Effect.mapError(changed, () => new MerchantNotFound({ email }))
            return yield* count(sql`delete from sessions where merchant_id = ${id}`)
          })
        )
      }),

      join: Effect.fn("Merchants.join")((store, email, role) =>
        transaction(
          Effect.gen(function* () {
            yield* lockStore(store)
            const id = yield* find(email)
            yield* count(sql`
              insert into members (store_id, merchant_id, role) values (${store}, ${id}, ${role})
              on conflict (store_id, merchant_id) do update set role = excluded.role
            `)
            yield* keepOwner(store)
            return id
          })
        )
      ),

      leave: Effect.fn("Merchants.leave")((store, merchant) =>
        transaction(
          Effect.gen(function* () {
            yield* Effect.catchTag(lockStore(store), "UnknownStore", () => Effect.void)
            const left = yield* count(sql`delete from members where store_id = ${store} and merchant_id = ${merchant}`)
            if (left > 0) yield* keepOwner(store)
            return left > 0
          })
        )
      ),

      members: Effect.fn("Merchants.members")((store) =>
        membersOf(sql`
          select m.merchant_id as "merchantId", name, email, role, m.created_at as "createdAt"
          from members m join merchants on id = m.merchant_id
          where m.store_id = ${store} order by role, name, email
        `)
      ),

      memberships: Effect.fn("Merchants.memberships")((merchant) =>
        membershipsOf(sql`
          select m.store_id as "storeId", s.name as "storeName", m.role
          from members m join stores s on s.id = m.store_id and s.deleted_at is null
          where m.merchant_id = ${merchant} order by s.name, s.id
        `)
      )
    })
  })
)
