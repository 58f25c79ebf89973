import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { DEFAULT_SETTINGS } from "../../domain/access/Settings.ts"
import {
  Plan,
  PlanExists,
  PlanNotFound,
  Store,
  Stores,
  StoreSummary,
  UnknownStore
} from "../../domain/access/Stores.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { orDefect } from "../sql/Errors.ts"
import { readArrived } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { sql as fragment, type Statement } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"

const StoreRow = Schema.Struct({ ...Store.fields, createdAt: Schema.Date })

const toStore = ({ createdAt, ...store }: typeof StoreRow.Type): Store => ({
  ...store,
  createdAt: createdAt.toISOString()
})

const readStore = rowReader(StoreRow)

const findStore = (statement: Statement) => Effect.map(readStore(statement), Option.map(toStore))

const readId = requiredRowReader(Schema.Struct({ id: Schema.toType(StoreId) }))

/**
 * Condition of stores `s` that this database serves. While a store moves, two cells have its rows; for the moment of the
 * switch, neither serves it.
 */
export const SERVED = fragment`
  (s.moved_at is null and not exists (select from store_fences f where f.store_id = s.id and f.state = 'arriving'))
`

export const StoresLive = Layer.effect(
  Stores,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const arrived = yield* readArrived

    const columns = sql`
      s.id, s.name, s.domain, s.currency_code as "currencyCode", s.timezone, s.locale, s.country,
      s.weight_unit as "weightUnit", s.product_count as "productCount", s.created_at as "createdAt",
      json_build_object(
        'name', p.name, 'productLimit', p.product_limit, 'collectionLimit', p.collection_limit,
        'mediaLimit', p.media_limit
      ) as plan
    `

    const listPlans = SqlSchema.findAll({
      Request: Schema.Void,
      Result: Plan,
      execute: () => sql`
        select name, product_limit as "productLimit", collection_limit as "collectionLimit",
          media_limit::float8 as "mediaLimit"
        from plans order by product_limit, name
      `
    })

    const listStores = SqlSchema.findAll({
      Request: Schema.Int,
      Result: StoreSummary,
      execute: (limit) => sql`
        select
          s.id as "storeId", s.name, s.plan, s.currency_code as "currencyCode", s.product_count as products,
          (select count(*)::integer from collections c where c.store_id = s.id) as collections,
          (select count(*)::integer from installations i where i.store_id = s.id and i.is_active) as installations,
          s.created_at as "createdAt"
        from stores s where s.deleted_at is null and ${SERVED} order by s.id desc limit ${limit}
      `
    })

    const selectStore = (id: StoreId) => sql`
      select ${columns} from stores s join plans p on p.name = s.plan where s.id = ${id} and s.deleted_at is null
    `

    const requirePlan = Effect.fnUntraced(function* (name: string) {
      const known = Effect.map(listPlans(), (plans) => plans.map((plan) => plan.name))
      const found = yield* arrived(
        Effect.map(known, (names) => Option.liftPredicate(names, () => names.includes(name)))
      )
      if (Option.isNone(found)) yield* new PlanNotFound({ name, known: yield* known })
    })

    /** Runs the update of a store and records its state before and after. Returns none if the store does not exist. */
    const change = Effect.fnUntraced(function* (id: StoreId, update: Statement) {
      const before = yield* findStore(sql`${selectStore(id)} for no key update of s`)
      const after = yield* findStore(update)
      yield* recordAdministered(id, "settings", id, Option.getOrNull(before), Option.getOrNull(after))
      return after
    })

    return Stores.of({
      listPlans: orDefect(listPlans()),

      createPlan: Effect.fn("Stores.createPlan")(function* ({ collectionLimit, mediaLimit, name, productLimit }) {
        const created = yield* sql`
          insert into plans (name, product_limit, collection_limit, media_limit)
          values (${name}, ${productLimit}, ${collectionLimit}, ${mediaLimit}) on conflict do nothing returning name
        `
        if (created.length === 0) return yield* new PlanExists({ name })
      }, orDefect),

      create: Effect.fn("Stores.create")(function* ({ currencyCode, name, plan, ...settings }) {
        yield* requirePlan(plan)
        const { country, domain, locale, timezone, weightUnit } = { ...DEFAULT_SETTINGS, ...settings }
        const { id } = yield* readId(sql`
          insert into stores (id, name, plan, currency_code, domain, timezone, locale, country, weight_unit)
          values (
            uuid_v7(clock_micros()), ${name}, ${plan}, ${currencyCode}, ${domain}, ${timezone}, ${locale}, ${country},
            ${weightUnit}
          ) returning id
        `)
        return id
      }, orDefect),

      get: Effect.fn("Stores.get")(function* (id) {
        const store = yield* findStore(selectStore(id))
        return Option.isSome(store) ? store.value : yield* new StoreNotFound()
      }, orDefect),

      updateSettings: Effect.fn("Stores.updateSettings")(function* (
        id,
        { country, domain, locale, name, timezone, weightUnit }
      ) {
        const after = yield* change(
          id,
          sql`
            with changed as (
              update stores set
                name = coalesce(${name}, name), timezone = coalesce(${timezone}, timezone),
                locale = coalesce(${locale}, locale), weight_unit = coalesce(${weightUnit}, weight_unit),
                domain = case when ${domain !== undefined} then ${domain} else domain end,
                country = case when ${country !== undefined} then ${country} else country end
              where id = ${id} and deleted_at is null returning *
            )
            select ${columns} from changed s join plans p on p.name = s.plan
          `
        )
        return Option.isSome(after) ? after.value : yield* new StoreNotFound()
      }, orDefect),

      list: Effect.fn("Stores.list")(listStores, orDefect),

      setPlan: Effect.fn("Stores.setPlan")(function* (id, plan) {
        yield* requirePlan(plan)
        const after = yield* change(
          id,
          sql`
            with changed as (update stores set plan = ${plan} where id = ${id} and deleted_at is null returning *)
            select ${columns} from changed s join plans p on p.name = s.plan
          `
        )
        if (Option.isNone(after)) yield* new UnknownStore({ id })
      }, orDefect),

      delete: Effect.fn("Stores.delete")(function* (id) {
        const deleted = yield* rowCount(
          sql`update stores set deleted_at = statement_timestamp() where id = ${id} and deleted_at is null`
        )
        if (deleted === 0) return yield* new UnknownStore({ id })
      }, orDefect)
    })
  })
)
