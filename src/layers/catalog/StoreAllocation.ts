import { Array, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import { ProductLimitReached } from "../../domain/catalog/Product.ts"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"

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

/** A requested slug, which must be free, or a derived one, to which a number may be added. "" needs no slug. */
export interface SlugRequest {
  readonly slug: string
  readonly isRequested: boolean
}

/** Clock and slug of a product. */
export interface ProductAllocation {
  /** Microseconds that no other change of the store has. */
  readonly clock: number
  /** None if the requested slug is taken. */
  readonly slug: Option.Option<string>
}

/** Id, slug and currency of a new resource. */
export interface Allocation extends ChangeStamp {
  readonly id: string
  readonly slug: string
  readonly currencyCode: string
}

const StoreClock = Schema.Struct({
  /** Microseconds of the first allocated instant; the others follow. */
  clock: Schema.NumberFromString,
  currencyCode: Schema.String
})

/** Number of the first free slug: 1 is the slug without a number. */
const Choice = Schema.Int

const slugOf = ({ isRequested, slug }: SlugRequest, choice: number): Option.Option<string> =>
  isRequested && choice > 1 ? Option.none() : Option.some(numbered(slug, choice))

const allocationOf = Effect.fnUntraced(function* (
  request: SlugRequest,
  { clock, slug }: ProductAllocation,
  currencyCode: string
) {
  if (Option.isNone(slug)) return yield* new SlugTaken({ slug: request.slug })
  const allocated: Allocation = { ...stampOf(clock), id: uuidOfMicros(clock), slug: slug.value, currencyCode }
  return allocated
})

/**
 * Allocates ids, slugs and places within the plan. The row of a store counts its products, makes ids, and is the lock of
 * everything that must not race: creates, deletes, slugs and limits.
 */
export class StoreAllocation extends Context.Service<StoreAllocation>()("layers/catalog/StoreAllocation", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // The functions are volatile, so they are evaluated after the wait for the lock and see what was committed during it.
    const takeProducts = SqlSchema.findOneOption({
      Request: Schema.Struct({ store: StoreId, created: Schema.Int, changed: Schema.Int, slugs: Schema.String }),
      Result: Schema.Struct({ ...StoreClock.fields, choices: Schema.Array(Choice) }),
      execute: ({ changed, created, slugs, store }) => sql`
        update stores set product_count = product_count + ${created}::integer,
          id_clock = greatest(id_clock + 1, change_clock(id)) + ${changed}::integer - 1
        where id = ${store} and deleted_at is null and (
          ${created}::integer = 0
          or product_count + ${created}::integer <= (select product_limit from plans where name = plan)
        )
        returning id_clock - ${changed}::integer + 1 as clock, currency_code as "currencyCode",
          free_product_slugs(id, ${slugs}, '{}') as choices
      `
    })

    const takeCollection = SqlSchema.findOneOption({
      Request: Schema.Struct({ store: StoreId, slug: Schema.String }),
      Result: Schema.Struct({ ...StoreClock.fields, choice: Choice }),
      execute: ({ slug, store }) => sql`
        update stores set id_clock = greatest(id_clock + 1, change_clock(id))
        where id = ${store} and deleted_at is null
        returning id_clock as clock, currency_code as "currencyCode", free_collection_slug(id, ${slug}) as choice
      `
    })

    const takeInstants = SqlSchema.findOneOption({
      Request: Schema.Struct({ store: StoreId, count: Schema.Int }),
      Result: StoreClock,
      execute: ({ count, store }) => sql`
        update stores set id_clock = greatest(id_clock + ${count}, change_clock(id))
        where id = ${store} and deleted_at is null
        returning id_clock as clock, currency_code as "currencyCode"
      `
    })

    // Not an aggregate: only a locked row is read again after the wait for its lock.
    const selectCapacity = SqlSchema.findOneOption({
      Request: StoreId,
      Result: Schema.Struct({
        /** Maximum number of products of the plan. */
        limit: Schema.Int,
        /** Products that the plan still allows; negative after a change to a smaller plan. */
        capacity: Schema.Int,
        /** Current time in microseconds. */
        clock: Schema.NumberFromString
      }),
      execute: (store) => sql`
        select p.product_limit as limit, p.product_limit - s.product_count as capacity, clock_micros() as clock
        from stores s join plans p on p.name = s.plan
        where s.id = ${store} and s.deleted_at is null for no key update of s
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

    const lockCapacity = Effect.fn("StoreAllocation.lockCapacity")(function* (store: StoreId) {
      const row = yield* selectCapacity(store)
      return Option.isSome(row) ? row.value : yield* new StoreNotFound()
    }, orDefect)

    const allocateProducts = Effect.fnUntraced(function* (
      store: StoreId,
      requests: ReadonlyArray<SlugRequest>,
      created: number
    ) {
      const slugs = requests.flatMap(({ slug }) => (slug === "" ? [] : [slug]))
      const row = yield* takeProducts({ store, created, changed: requests.length, slugs: textArray(slugs) })
      if (Option.isNone(row)) {
        const { limit } = yield* lockCapacity(store)
        return yield* new ProductLimitReached({ limit })
      }
      const { choices, clock, currencyCode } = row.value
      let next = 0
      const allocations = requests.map((request, index): ProductAllocation => ({
        clock: clock + index,
        slug: request.slug === "" ? Option.some("") : slugOf(request, choices[next++] ?? 1)
      }))
      return { currencyCode, allocations }
    }, orDefect)

    return {
      /** Locks the row of the store. Fails if the store does not exist. */
      lockStore: Effect.fn("StoreAllocation.lockStore")(function* (store: StoreId) {
        const found = yield* sql`select id from stores where id = ${store} and deleted_at is null for no key update`
        if (found.length === 0) yield* new StoreNotFound()
      }, orDefect),

      /** Fails if the store does not exist. Takes no lock. */
      requireStore: Effect.fn("StoreAllocation.requireStore")(function* (store: StoreId) {
        const found = yield* sql`select id from stores where id = ${store} and deleted_at is null`
        if (found.length === 0) yield* new StoreNotFound()
      }, orDefect),

      /** Fails if another product or collection of the store has the slug. */
      requireFreeSlug: Effect.fn("StoreAllocation.requireFreeSlug")(function* (
        table: "products" | "collections",
        store: StoreId,
        slug: string,
        id: string
      ) {
        const others = yield* sql`
          select id from ${sql(table)} where store_id = ${store} and slug = ${slug} and id <> ${id}
        `
        if (others.length > 0) yield* new SlugTaken({ slug })
      }, orDefect),

      /** Locks the store and returns how many products its plan still allows. */
      lockCapacity,

      /**
       * Allocates an instant and a slug for each request, in their order, and places for `created` new products. The places
       * are counted in the UPDATE, under the lock. Fails with `ProductLimitReached` if the plan has too few.
       */
      allocateProducts: Effect.fn("StoreAllocation.allocateProducts")(allocateProducts),

      /** Allocates the id, slug and place of a new product. */
      allocateProduct: Effect.fn("StoreAllocation.allocateProduct")(function* (store: StoreId, request: SlugRequest) {
        const { allocations, currencyCode } = yield* allocateProducts(store, [request], 1)
        return yield* allocationOf(request, Array.getUnsafe(allocations, 0), currencyCode)
      }),

      /** Allocates the next id and a slug, if the plan allows another collection. */
      allocateCollection: Effect.fn("StoreAllocation.allocateCollection")(function* (
        store: StoreId,
        request: SlugRequest
      ) {
        const row = yield* takeCollection({ store, slug: request.slug })
        if (Option.isNone(row)) return yield* new StoreNotFound()
        // This statement follows the lock, so it sees all collections that were committed before it.
        const limit = yield* findReachedCollectionLimit(store)
        if (Option.isSome(limit)) return yield* new CollectionLimitReached(limit.value)
        const { choice, clock, currencyCode } = row.value
        return yield* allocationOf(request, { clock, slug: slugOf(request, choice) }, currencyCode)
      }, orDefect),

      /**
       * Locks the store and allocates up to `count` instants of its clock in microseconds, each later than all before: ids
       * and times of a write that changes many rows.
       */
      allocateInstants: Effect.fn("StoreAllocation.allocateInstants")(function* (store: StoreId, count: number) {
        const row = yield* takeInstants({ store, count })
        if (Option.isNone(row)) return yield* new StoreNotFound()
        const { clock, currencyCode } = row.value
        let left = count
        return { currencyCode, tick: () => clock - --left }
      }, orDefect),

      /** Makes the statement that gives places of products back to the store. */
      releaseStatement: (store: StoreId, count = 1) =>
        sql`update stores set product_count = product_count - ${count}::integer where id = ${store}`
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
