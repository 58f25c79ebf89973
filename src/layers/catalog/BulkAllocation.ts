import { Array, Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { numbered } from "../../domain/catalog/Slug.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { textArray } from "../sql/ArrayLiterals.ts"

/*
 * Allocation of ids and slugs for many products at once, under the lock of the store.
 */

/** A requested slug, which must be free, or a derived one, to which a number may be added. */
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

/** Makes the queries that allocate products for an import. */
export const makeBulkAllocation = (sql: SqlClient.SqlClient) => {
  // Not an aggregate: only a locked row is read again after the wait for its lock.
  const lockCapacity = SqlSchema.findOneOption({
    Request: StoreId,
    Result: Schema.Struct({
      currencyCode: Schema.String,
      /** Maximum number of products of the plan. */
      limit: Schema.Int,
      /** Products that the plan still allows; negative after a change to a smaller plan. */
      capacity: Schema.Int,
      clock: Schema.NumberFromString
    }),
    execute: (store) => sql`
      select
        s.currency_code as "currencyCode", p.product_limit as limit, p.product_limit - s.product_count as capacity,
        clock_micros() as clock
      from stores s join plans p on p.name = s.plan
      where s.id = ${store} and s.deleted_at is null for no key update of s
    `
  })

  // Each slug is looked up on its own: a join planned while the store was empty would read all of its products.
  const takeClocks = SqlSchema.findOne({
    Request: Schema.Struct({ store: StoreId, count: Schema.Int, slugs: Schema.String }),
    Result: Schema.Struct({
      /** First instant; the others follow. */
      clock: Schema.NumberFromString,
      /** Slugs that other products have. */
      taken: Schema.Array(Schema.String)
    }),
    execute: ({ count, slugs, store }) => sql`
      update stores set id_clock = greatest(id_clock + 1, change_clock(id)) + ${count}::integer - 1 where id = ${store}
      returning id_clock - ${count}::integer + 1 as clock,
        array(
          select requested.slug from unnest(${slugs}::text[]) as requested (slug), lateral (
            select from products p where p.store_id = ${store} and p.slug = requested.slug offset 0
          ) as taken
        ) as taken
    `
  })

  const findFreeNumbers = SqlSchema.findOne({
    Request: Schema.Struct({ store: StoreId, slugs: Schema.String, allocated: Schema.String }),
    Result: Schema.Struct({ choices: Schema.Array(Schema.Int) }),
    execute: ({ allocated, slugs, store }) => sql`
      select free_product_slugs(${store}, ${slugs}, ${allocated}) as choices
    `
  })

  return {
    /** Locks the store and returns how many products its plan still allows. */
    lockCapacity: Effect.fnUntraced(function* (store: StoreId) {
      const row = yield* lockCapacity(store)
      return Option.isSome(row) ? row.value : yield* new StoreNotFound()
    }),

    /** Allocates an instant and a slug for each request. The store must be locked. */
    allocateSlugs: Effect.fnUntraced(function* (store: StoreId, requests: ReadonlyArray<SlugRequest>) {
      const slugs = textArray(requests.map(({ slug }) => slug))
      const { clock, taken: takenSlugs } = yield* takeClocks({ store, count: requests.length, slugs })
      const unavailable = new Set(takenSlugs)
      const allocated = new Map<SlugRequest, string>()
      for (const request of requests) {
        if (request.slug !== "" && unavailable.has(request.slug)) continue
        allocated.set(request, request.slug)
        unavailable.add(request.slug)
      }
      // Derived slugs that are taken get a number.
      const unnumbered = requests.filter((request) => !allocated.has(request) && !request.isRequested)
      if (unnumbered.length > 0) {
        const { choices } = yield* findFreeNumbers({
          store,
          slugs: textArray(unnumbered.map(({ slug }) => slug)),
          allocated: textArray([...allocated.values()])
        })
        for (const [request, choice] of Array.zip(unnumbered, choices)) {
          allocated.set(request, numbered(request.slug, choice))
        }
      }
      return requests.map((request, index): ProductAllocation => ({
        clock: clock + index,
        slug: Option.fromNullishOr(allocated.get(request))
      }))
    }),

    /** Makes the statement that adds new products to the product count of the store. */
    addToProductCount: (store: StoreId, count: number) =>
      sql`update stores set product_count = product_count + ${count} where id = ${store}`
  }
}
