import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import { ProductLimitReached } from "../../domain/catalog/Product.ts"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"

/*
 * The row of a store counts its products, makes ids, and is the lock of everything that must not race: creates, deletes,
 * slugs and limits.
 */

/** Time of a change, and the id of its event and journal entry. */
export interface ChangeStamp {
  readonly at: Date
  readonly eventId: string
}

/** Makes the stamp of a change from `change_clock` of the database, in microseconds. No other clock keeps ids ordered. */
export const stampOf = (clock: number): ChangeStamp => ({
  at: new Date(Math.floor(clock / 1000)),
  eventId: uuidOfMicros(clock)
})

const Clock = Schema.Struct({
  /** Microseconds of the latest id of the store. */
  clock: Schema.NumberFromString
})

const StoreClock = Schema.Struct({ ...Clock.fields, currencyCode: Schema.String })

const Allocated = Schema.Struct({
  ...StoreClock.fields,
  /** Number of the first free slug: 1 is the slug without a number. */
  choice: Schema.Int
})

/** Id, slug and currency of a new resource. */
export interface Allocation extends ChangeStamp {
  readonly id: string
  readonly slug: string
  readonly currencyCode: string
}

/** Returns the requested slug, which must be free, or the first free one of those derived from the name. */
const withSlug = Effect.fnUntraced(function* (
  { choice, clock, currencyCode }: typeof Allocated.Type,
  requested: string | undefined,
  derived: string
) {
  if (requested !== undefined && choice > 1) return yield* new SlugTaken({ slug: requested })
  const { at, eventId } = stampOf(clock)
  return { at, eventId, id: uuidOfMicros(clock), currencyCode, slug: requested ?? numbered(derived, choice) }
})

/** Locks the row of the store. Fails if the store does not exist. */
export const lockStore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, store: StoreId) {
  const found = yield* sql`select id from stores where id = ${store} and deleted_at is null for no key update`
  if (found.length === 0) yield* new StoreNotFound()
})

/** Fails if the store does not exist. Takes no lock. */
export const requireStore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, store: StoreId) {
  const found = yield* sql`select id from stores where id = ${store} and deleted_at is null`
  if (found.length === 0) yield* new StoreNotFound()
})

/** Fails if another product or collection of the store has the slug. */
export const requireFreeSlug = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: "products" | "collections",
  store: StoreId,
  slug: string,
  id: string
) {
  const others = yield* sql`
    select id from ${sql(table)} where store_id = ${store} and slug = ${slug} and id <> ${id}
  `
  if (others.length > 0) yield* new SlugTaken({ slug })
})

/** Makes the operations that allocate ids, slugs and places within the plan. */
export const makeAllocation = (sql: SqlClient.SqlClient) => {
  // The functions are volatile, so they are evaluated after the wait for the lock and see what was committed during it.
  const takeProduct = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, slug: Schema.String }),
    Result: Allocated,
    execute: ({ slug, store }) => sql`
      update stores set product_count = product_count + 1, id_clock = greatest(id_clock + 1, change_clock(id))
      where id = ${store} and deleted_at is null
        and product_count < (select product_limit from plans where name = plan)
      returning id_clock as clock, currency_code as "currencyCode", free_product_slug(id, ${slug}) as choice
    `
  })

  const takeCollection = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, slug: Schema.String }),
    Result: Allocated,
    execute: ({ slug, store }) => sql`
      update stores set id_clock = greatest(id_clock + 1, change_clock(id))
      where id = ${store} and deleted_at is null
      returning id_clock as clock, currency_code as "currencyCode", free_collection_slug(id, ${slug}) as choice
    `
  })

  const retakeProduct = SqlSchema.findOneOption({
    Request: StoreId,
    Result: Clock,
    execute: (store) => sql`
      update stores set product_count = product_count + 1, id_clock = greatest(id_clock + 1, change_clock(id))
      where id = ${store} and deleted_at is null
        and product_count < (select product_limit from plans where name = plan)
      returning id_clock as clock
    `
  })

  const retakeCollection = SqlSchema.findOneOption({
    Request: StoreId,
    Result: Clock,
    execute: (store) => sql`
      update stores set id_clock = greatest(id_clock + 1, change_clock(id))
      where id = ${store} and deleted_at is null returning id_clock as clock
    `
  })

  const takeMany = SqlSchema.findOneOption({
    Request: Schema.Struct({ store: StoreId, count: Schema.Int }),
    Result: StoreClock,
    execute: ({ count, store }) => sql`
      update stores set id_clock = greatest(id_clock + ${count}, change_clock(id))
      where id = ${store} and deleted_at is null
      returning id_clock as clock, currency_code as "currencyCode"
    `
  })

  const findProductLimit = SqlSchema.findOneOption({
    Request: StoreId,
    Result: Schema.Struct({ limit: Schema.Int }),
    execute: (store) => sql`
      select p.product_limit as limit from stores s join plans p on p.name = s.plan
      where s.id = ${store} and s.deleted_at is null
    `
  })

  /** The database counts 10,000 collections in milliseconds, so no counter is stored. */
  const findReachedCollectionLimit = SqlSchema.findOneOption({
    Request: StoreId,
    Result: Schema.Struct({ limit: Schema.Int }),
    execute: (store) => sql`
      select p.collection_limit as limit from stores s join plans p on p.name = s.plan
      where s.id = ${store} and p.collection_limit <= (select count(*) from collections where store_id = ${store})
    `
  })

  /** Fails with the reason why no product was allocated: the store does not exist or its plan is full. */
  const explainRejectedProduct = Effect.fnUntraced(function* (store: StoreId) {
    const limit = yield* findProductLimit(store)
    return yield* Effect.fail(Option.isNone(limit) ? new StoreNotFound() : new ProductLimitReached(limit.value))
  })

  /** Fails if the plan allows no further collection. A statement after the lock sees what was committed before it. */
  const requireCollectionCapacity = Effect.fnUntraced(function* (store: StoreId) {
    const limit = yield* findReachedCollectionLimit(store)
    if (Option.isSome(limit)) yield* new CollectionLimitReached(limit.value)
  })

  return {
    /** Allocates the next id, a slug and a place within the plan. The count is checked in the UPDATE, under the lock. */
    allocateProduct: Effect.fnUntraced(function* (store: StoreId, requestedSlug: string | undefined, derived: string) {
      const row = yield* takeProduct({ store, slug: requestedSlug ?? derived })
      return Option.isSome(row)
        ? yield* withSlug(row.value, requestedSlug, derived)
        : yield* explainRejectedProduct(store)
    }),

    /** Allocates the next id and a slug, if the plan allows another collection. */
    allocateCollection: Effect.fnUntraced(function* (
      store: StoreId,
      requestedSlug: string | undefined,
      derived: string
    ) {
      const row = yield* takeCollection({ store, slug: requestedSlug ?? derived })
      if (Option.isNone(row)) return yield* new StoreNotFound()
      yield* requireCollectionCapacity(store)
      return yield* withSlug(row.value, requestedSlug, derived)
    }),

    /** Allocates a place within the plan for a deleted product that is restored with its id and slug. */
    reallocateProduct: Effect.fnUntraced(function* (
      store: StoreId,
      { id, slug }: { readonly id: string; readonly slug: string }
    ) {
      const row = yield* retakeProduct(store)
      if (Option.isNone(row)) return yield* explainRejectedProduct(store)
      yield* requireFreeSlug(sql, "products", store, slug, id)
      return stampOf(row.value.clock)
    }),

    /** Does the same for a collection. */
    reallocateCollection: Effect.fnUntraced(function* (
      store: StoreId,
      { id, slug }: { readonly id: string; readonly slug: string }
    ) {
      const row = yield* retakeCollection(store)
      if (Option.isNone(row)) return yield* new StoreNotFound()
      yield* requireCollectionCapacity(store)
      yield* requireFreeSlug(sql, "collections", store, slug, id)
      return stampOf(row.value.clock)
    }),

    /**
     * Locks the store and allocates up to `count` instants of its clock in microseconds, each later than all before: ids and
     * times of a write that changes many rows.
     */
    allocateMany: Effect.fnUntraced(function* (store: StoreId, count: number) {
      const row = yield* takeMany({ store, count })
      if (Option.isNone(row)) return yield* new StoreNotFound()
      const { clock, currencyCode } = row.value
      let left = count
      return { currencyCode, tick: () => clock - --left }
    }),

    /** Decrements the product count of the store. */
    releaseProduct: (store: StoreId) => sql`update stores set product_count = product_count - 1 where id = ${store}`
  }
}
