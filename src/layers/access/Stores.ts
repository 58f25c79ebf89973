import { Effect, Layer, Option, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { DEFAULT_SETTINGS, type UpdateSettings } from "../../domain/access/Settings.ts"
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
import { answerOf, firstOf, type Step } from "../database/Plan.ts"
import { Database } from "../database/Postgres.ts"
import { sql, type Statement } from "../database/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { traced } from "../Traced.ts"
import { column } from "../database/Column.ts"

const STORE = sql`
  s.id, s.name, s.domain, s.currency_code as "currencyCode", s.timezone, s.locale, s.country,
  s.weight_unit as "weightUnit", s.product_count as "productCount", s.created_at as "createdAt",
  json_build_object(
    'name', p.name, 'productLimit', p.product_limit, 'collectionLimit', p.collection_limit
  ) as plan
`

const selectStore = (id: StoreId) => sql`
  select ${STORE} from stores s join plans p on p.name = s.plan where s.id = ${id} and s.deleted_at is null
`
const lockStore = (id: StoreId) => sql`${selectStore(id)} for no key update of s`

/** Settings that are undefined stay as they are. */
const updateStore = (id: StoreId, { country, domain, locale, name, timezone, weightUnit }: UpdateSettings) => sql`
  with changed as (
    update stores set
      name = coalesce(${name}, name), timezone = coalesce(${timezone}, timezone), locale = coalesce(${locale}, locale),
      weight_unit = coalesce(${weightUnit}, weight_unit),
      domain = case when ${domain !== undefined} then ${domain} else domain end,
      country = case when ${country !== undefined} then ${country} else country end
    where id = ${id} and deleted_at is null returning *
  )
  select ${STORE} from changed s join plans p on p.name = s.plan
`

const updatePlan = (id: StoreId, plan: string) => sql`
  with changed as (update stores set plan = ${plan} where id = ${id} and deleted_at is null returning *)
  select ${STORE} from changed s join plans p on p.name = s.plan
`

const StoreRow = Schema.Struct({ ...Store.fields, createdAt: Schema.Date })

/** The store that a row tells of, if there is one. */
const toldOf = Option.map(({ createdAt, ...store }: typeof StoreRow.Type): Store => ({
  ...store,
  createdAt: createdAt.toISOString()
}))

const selectPlans = sql`
  select name, product_limit as "productLimit", collection_limit as "collectionLimit"
  from plans order by product_limit, name
`
const decodePlans = compileTrustedDecoder(Schema.Array(Plan))

const requirePlan = Effect.fnUntraced(function* (name: string): Step<void, PlanNotFound> {
  const { rows } = yield* answerOf(selectPlans)
  const known = decodePlans(rows).map((plan) => plan.name)
  if (!known.includes(name)) yield* new PlanNotFound({ name, known })
})

const rowOf = firstOf(StoreRow)

/** The store as it is and, unless the statement finds none, as that leaves it. */
const changed = Effect.fnUntraced(function* (id: StoreId, change: Statement): Step<Option.Option<Store>> {
  const before = toldOf(yield* rowOf(lockStore(id)))
  const after = toldOf(yield* rowOf(change))
  yield* recordAdministered(id, "settings", id, Option.getOrNull(before), Option.getOrNull(after))
  return after
})

export const StoresLive = Layer.effect(
  Stores,
  Effect.gen(function* () {
    const { count, first, one, perform, rows } = yield* Database
    const plansOf = rows(Plan)
    const idOf = one(column("id", Schema.toType(StoreId)))
    const storeOf = first(StoreRow)
    const storesOf = rows(StoreSummary)

    return Stores.of({
      listPlans: plansOf(selectPlans),

      createPlan: Effect.fn("Stores.createPlan")(function* ({ collectionLimit, name, productLimit }) {
        const made = yield* count(sql`
          insert into plans (name, product_limit, collection_limit)
          values (${name}, ${productLimit}, ${collectionLimit}) on conflict do nothing returning 1
        `)
        if (made === 0) return yield* new PlanExists({ name })
      }),

      create: Effect.fn("Stores.create")(function* ({ currencyCode, name, plan, ...given }) {
        yield* perform(requirePlan(plan))
        const { country, domain, locale, timezone, weightUnit } = { ...DEFAULT_SETTINGS, ...given }
        return yield* idOf(sql`
          insert into stores (id, name, plan, currency_code, domain, timezone, locale, country, weight_unit)
          values (
            uuid_v7(clock_micros()), ${name}, ${plan}, ${currencyCode}, ${domain}, ${timezone}, ${locale}, ${country},
            ${weightUnit}
          ) returning id
        `)
      }),

      get: (id) =>
        traced("Stores.get")(
          Effect.flatMap(storeOf(selectStore(id)), (found) =>
            Effect.mapError(Effect.fromOption(toldOf(found)), () => new StoreNotFound())
          )
        ),

      updateSettings: (id, settings) =>
        Effect.gen(function* () {
          const after = yield* changed(id, updateStore(id, settings))
          return Option.getOrUndefined(after) ?? (yield* new StoreNotFound())
        }),

      list: Effect.fn("Stores.list")((limit) =>
        storesOf(sql`
          select
            s.id as "storeId", s.name, s.plan, s.currency_code as "currencyCode", s.product_count as products,
            (select count(*)::integer from collections c where c.store_id = s.id) as collections,
            (select count(*)::integer from installations i where i.store_id = s.id and i.is_active) as installations,
            s.created_at as "createdAt"
          from stores s where s.deleted_at is null order by s.id desc limit ${limit}
        `)
      ),

      setPlan: (id, plan) =>
        Effect.gen(function* () {
          yield* requirePlan(plan)
          if (Option.isNone(yield* changed(id, updatePlan(id, plan)))) yield* new UnknownStore({ id })
        }),

      delete: Effect.fn("Stores.delete")(function* (id) {
        const deleted = yield* count(
          sql`update stores set deleted_at = clock_timestamp() where id = ${id} and deleted_at is null returning 1`
        )
        if (deleted === 0) return yield* new UnknownStore({ id })
      })
    })
  })
)
