import { Context, Effect, HashMap, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type CollectionId, CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import {
  type ChangeStamp,
  freeSlugs,
  NO_SLUGS,
  type SlugRequest,
  stampOf,
  type StoreState
} from "../../domain/catalog/ProductState.ts"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { traced } from "../telemetry/Traced.ts"

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

/** Instants, slugs and places of a batch of changes. */
interface Needs {
  /** Number of changes, each with an instant of its own. */
  readonly instants: number
  /** Requested and derived slugs, in the order of the changes. */
  readonly slugs: ReadonlyArray<string>
  /** New products, for which places are taken at once; 0 if the caller counts them at the end. */
  readonly created?: number
}

/**
 * Allocates ids, slugs and places within the plan. The row of a store counts its products, makes ids, and is the lock of
 * everything that must not race: creates, deletes, slugs and limits.
 */
export class StoreAllocation extends Context.Service<StoreAllocation>()("layers/catalog/StoreAllocation", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ProductRoom = Schema.Struct({
      ...StoreClock.fields,
      limit: Schema.Int,
      count: Schema.Int,
      choices: Schema.Array(Choice)
    })

    // The functions are volatile, so they are evaluated after the wait for the lock and see what was committed during it.
    const takeProducts = SqlSchema.findOneOption({
      Request: Schema.Struct({ store: StoreId, created: Schema.Int, instants: Schema.Int, slugs: Schema.String }),
      Result: ProductRoom,
      execute: ({ created, instants, slugs, store }) => sql`
        update stores set product_count = product_count + ${created}::integer,
          id_clock = greatest(id_clock + 1, change_clock(id)) + ${instants}::integer - 1
        where id = ${store} and deleted_at is null and (
          ${created}::integer = 0
          or product_count + ${created}::integer <= (select product_limit from plans where name = plan)
        )
        returning id_clock - ${instants}::integer + 1 as clock, currency_code as "currencyCode",
          (select product_limit from plans where name = plan) as limit, product_count - ${created}::integer as count,
          free_product_slugs(id, ${slugs}, '{}') as choices
      `
    })

    const viewProducts = SqlSchema.findOneOption({
      Request: Schema.Struct({ store: StoreId, slugs: Schema.String, taken: Schema.String }),
      Result: ProductRoom,
      execute: ({ slugs, store, taken }) => sql`
        select clock_micros() as clock, currency_code as "currencyCode", product_limit as limit, product_count as count,
          free_product_slugs(id, ${slugs}, ${taken}) as choices
        from stores join plans on plans.name = plan where id = ${store} and deleted_at is null
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

    /** The database counts 10,000 collections in milliseconds, so no counter is stored. */
    const findReachedCollectionLimit = SqlSchema.findOneOption({
      Request: StoreId,
      Result: Schema.Struct({ limit: Schema.Int }),
      execute: (store) => sql`
        select p.collection_limit as limit from stores s join plans p on p.name = s.plan
        where s.id = ${store} and p.collection_limit <= (select count(*) from collections where store_id = ${store})
      `
    })

    const stateOf = (
      { choices, clock, count, currencyCode, limit }: typeof ProductRoom.Type,
      slugs: ReadonlyArray<string>
    ): StoreState => ({
      clock,
      currencyCode,
      limit,
      places: limit - count,
      products: HashMap.empty(),
      slugs: { ...NO_SLUGS, free: freeSlugs(slugs, choices) }
    })

    return {
      /** Locks the row of the store. Fails if the store does not exist. */
      lockStore: traced("StoreAllocation.lockStore")(function* (store: StoreId) {
        const found = yield* sql`select id from stores where id = ${store} and deleted_at is null for no key update`
        if (found.length === 0) yield* new StoreNotFound()
      }, orDefect),

      /** Fails if the store does not exist. Takes no lock. */
      requireStore: traced("StoreAllocation.requireStore")(function* (store: StoreId) {
        const found = yield* sql`select id from stores where id = ${store} and deleted_at is null`
        if (found.length === 0) yield* new StoreNotFound()
      }, orDefect),

      /** Fails if another collection of the store has the slug. The store must be locked. */
      requireFreeSlug: traced("StoreAllocation.requireFreeSlug")(function* (
        store: StoreId,
        slug: string,
        id: CollectionId
      ) {
        const others =
          yield* sql`select id from collections where store_id = ${store} and slug = ${slug} and id <> ${id}`
        if (others.length > 0) yield* new SlugTaken({ slug })
      }, orDefect),

      /**
       * Locks the store, and returns the state from which changes of products are decided, without the products. Places for
       * `created` new products are counted in the UPDATE if the plan has them, else none.
       */
      allocateProducts: traced("StoreAllocation.allocateProducts")(function* (
        store: StoreId,
        { created = 0, instants, slugs }: Needs
      ) {
        const request = { store, instants, slugs: textArray(slugs) }
        const taken = yield* takeProducts({ ...request, created })
        const row = Option.isNone(taken) && created > 0 ? yield* takeProducts({ ...request, created: 0 }) : taken
        return Option.isSome(row) ? stateOf(row.value, slugs) : yield* new StoreNotFound()
      }, orDefect),

      /** Returns the state for changes that are only previewed. Takes no lock. Earlier changes took the slugs in `taken`. */
      viewProducts: traced("StoreAllocation.viewProducts")(function* (
        store: StoreId,
        slugs: ReadonlyArray<string>,
        taken: ReadonlyArray<string>
      ) {
        const row = yield* viewProducts({ store, slugs: textArray(slugs), taken: textArray(taken) })
        return Option.isSome(row) ? stateOf(row.value, slugs) : yield* new StoreNotFound()
      }, orDefect),

      /** Allocates the next id and a slug, if the plan allows another collection. */
      allocateCollection: traced("StoreAllocation.allocateCollection")(function* (
        store: StoreId,
        request: SlugRequest
      ) {
        const row = yield* takeCollection({ store, slug: request.slug })
        if (Option.isNone(row)) return yield* new StoreNotFound()
        // This statement follows the lock, so it sees all collections that were committed before it.
        const limit = yield* findReachedCollectionLimit(store)
        if (Option.isSome(limit)) return yield* new CollectionLimitReached(limit.value)
        const { choice, clock, currencyCode } = row.value
        if (request.isRequested && choice > 1) return yield* new SlugTaken({ slug: request.slug })
        const slug = numbered(request.slug, choice)
        const allocated: Allocation = { ...stampOf(clock), id: uuidOfMicros(clock), slug, currencyCode }
        return allocated
      }, orDefect),

      /**
       * Locks the store and allocates up to `count` instants of its clock in microseconds, each later than all before: ids
       * and times of a write that changes many rows.
       */
      allocateInstants: traced("StoreAllocation.allocateInstants")(function* (store: StoreId, count: number) {
        const row = yield* takeInstants({ store, count })
        if (Option.isNone(row)) return yield* new StoreNotFound()
        const { clock, currencyCode } = row.value
        let left = count
        return { currencyCode, tick: () => clock - --left }
      }, orDefect),

      /** Makes the statement that counts new products, and deleted ones as negative. */
      countStatement: (store: StoreId, count: number) =>
        sql`update stores set product_count = product_count + ${count}::integer where id = ${store}`
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
