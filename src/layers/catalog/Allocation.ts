import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { oneRowOf, rowOf } from "../Rows.ts"

/** What the database gives a new resource, once its store is locked. */
export const Allocated = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  at: Schema.DateFromSelf,
  currencyCode: Schema.String
})

/** Choices of a slug that are tried: more than any plan allows products. */
const MAX_SLUGS = 1_000_000

export type Allocated = typeof Allocated.Type

const allocatedOf = rowOf(Allocated)
const roomOf = rowOf(Schema.Struct({ limit: Schema.Int }))
const freeOf = oneRowOf(Schema.Struct({ n: Schema.Int }))

type Table = "products" | "collections"

/** The row of the store: it counts the products, makes the ids, and is the lock of everything that must not race. */
export const makeAllocation = (sql: PgClient.PgClient) => {
  const columns = sql`
    uuid_v7(id_clock) as id, uuid_v7(id_clock) as "eventId",
    to_timestamp(id_clock / 1000 / 1000.0) as at, currency_code as "currencyCode"
  `
  const tick = sql`id_clock = greatest(id_clock + 1, clock_micros())`

  /**
   * The slug as wished when it is free, else the first of `-2`, `-3`, … that is. Under the store's lock nobody else
   * takes it meanwhile. Sent together with the statement that locks, it sees what is there after the wait. (Not as
   * `not exists`: the planner would join that with all slugs of the store before it looks at the first choice.)
   */
  const freeSlug = (table: Table, store: StoreId, wished: string) =>
    Effect.map(
      freeOf(sql`
        select n from (select generate_series(1, ${MAX_SLUGS}::integer) as n) as choice
        where (
          select 1 from ${sql(table)}
          where store_id = ${store} and slug = case n when 1 then ${wished}::text else ${wished} || '-' || n end
          limit 1
        ) is null
        limit 1
      `),
      ({ n }) => numbered(wished, n)
    )

  /** Refuses a slug that another resource of the store has. */
  const claimSlug = (table: Table, store: StoreId, slug: string, own: string | null) =>
    Effect.filterOrFail(
      Effect.orDie(sql`
        select 1 from ${sql(table)} where store_id = ${store} and slug = ${slug} and id is distinct from ${own}::uuid
      `),
      (rows) => rows.length === 0,
      () => new SlugTaken({ slug })
    ).pipe(Effect.asVoid)

  return {
    /**
     * Takes the next id of the store and, for a product, a place within its plan: none when there is no place left.
     * A conditional UPDATE, because a count read beside the lock would be the one from before the wait for it.
     */
    product: (store: StoreId) =>
      allocatedOf(sql`
        update stores s set product_count = product_count + 1, ${tick}
        from plans p
        where s.id = ${store} and s.deleted_at is null and p.name = s.plan and s.product_count < p.product_limit
        returning ${columns}
      `),

    collection: (store: StoreId) =>
      allocatedOf(sql`update stores set ${tick} where id = ${store} and deleted_at is null returning ${columns}`),

    /** Products that the store's plan allows; none when the store is gone. */
    limit: (store: StoreId) =>
      roomOf(sql`
        select p.product_limit as limit from stores s join plans p on p.name = s.plan
        where s.id = ${store} and s.deleted_at is null
      `),

    /** The lock alone, for writes that make nothing new. */
    lock: (store: StoreId): Effect.Effect<void, StoreNotFound> =>
      Effect.filterOrFail(
        Effect.orDie(sql`select 1 from stores where id = ${store} and deleted_at is null for no key update`),
        (rows) => rows.length === 1,
        () => new StoreNotFound()
      ).pipe(Effect.asVoid),

    release: (store: StoreId) => sql`update stores set product_count = product_count - 1 where id = ${store}`,

    claimSlug,

    /** The slug of a new resource: the one asked for, which must be free, or the first free one made from its name. */
    chooseSlug: (table: Table, store: StoreId, asked: string | undefined, made: string) =>
      asked === undefined ? freeSlug(table, store, made) : Effect.as(claimSlug(table, store, asked, null), asked)
  }
}

export const orGone = Option.match({ onNone: () => new StoreNotFound(), onSome: Effect.succeed })
