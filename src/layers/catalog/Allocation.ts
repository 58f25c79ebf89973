import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import { CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { rowOf } from "../Rows.ts"
import { asks, tell } from "../Transaction.ts"

const Allocated = Schema.Struct({
  id: Schema.String,
  eventId: Schema.String,
  at: Schema.DateFromSelf,
  currencyCode: Schema.String,
  /** Which choice of the slug is free: 1 is the slug itself. */
  choice: Schema.Int
})

/** What the database gives a new resource, once its store is locked; the choice of its slug is settled. */
export type Allocated = Omit<typeof Allocated.Type, "choice"> & { readonly slug: string }

const Limit = Schema.Struct({ limit: Schema.Int })
const roomOf = rowOf(Limit)

type Table = "products" | "collections"

/** The slug that was asked for, which must be free, or the first free one of those made from the name. */
const settle = (
  given: Option.Option<typeof Allocated.Type>,
  asked: string | undefined,
  made: string
): Effect.Effect<Option.Option<Allocated>, SlugTaken> => {
  if (Option.isNone(given)) return Effect.succeedNone
  const { choice, ...rest } = given.value
  return asked !== undefined && choice > 1
    ? new SlugTaken({ slug: asked })
    : Effect.succeedSome({ ...rest, slug: asked ?? numbered(made, choice) })
}

// Computed when the row is locked and changed. The function that chooses the slug is volatile, so what it looks at is
// what is there then, after the wait for the lock.
const given = (choice: "free_product_slug" | "free_collection_slug") => `
  uuid_v7(id_clock) as id, uuid_v7(id_clock) as "eventId",
  to_timestamp(id_clock / 1000 / 1000.0) as at, currency_code as "currencyCode",
  ${choice}(id, $2) as choice
`

const TICK = "id_clock = greatest(id_clock + 1, clock_micros())"

const NEXT_PRODUCT = `
  update stores set product_count = product_count + 1, ${TICK}
  where id = $1 and deleted_at is null and product_count < (select product_limit from plans where name = plan)
  returning ${given("free_product_slug")}
`

const NEXT_COLLECTION = `
  update stores set ${TICK} where id = $1 and deleted_at is null returning ${given("free_collection_slug")}
`

const nextProduct = asks(NEXT_PRODUCT, Allocated)
const nextCollection = asks(NEXT_COLLECTION, Allocated)

const PRESENT = "select 1 from stores where id = $1 and deleted_at is null"

/**
 * The limit of the store's plan, when it has so many collections. Counted and not kept: a collection is seldom made, the
 * 10,000 of the largest plan are counted in milliseconds, and a count is right beside processes that would keep none.
 */
const FULL_OF_COLLECTIONS = `
  select p.collection_limit as limit from stores s join plans p on p.name = s.plan
  where s.id = $1 and p.collection_limit <= (select count(*) from collections where store_id = $1)
`

const LOCK = `${PRESENT} for no key update`

const fullOfCollections = asks(FULL_OF_COLLECTIONS, Limit)

/** Runs a statement that finds the store. */
const finds = (statement: string, store: StoreId): Effect.Effect<void, StoreNotFound> =>
  Effect.filterOrFail(
    tell(statement, [store]),
    (found) => found === 1,
    () => new StoreNotFound()
  ).pipe(Effect.asVoid)

/** The row of the store: it counts the products, makes the ids, and is the lock of everything that must not race. */
export const makeAllocation = (sql: PgClient.PgClient) => {
  return {
    /**
     * Takes the next id of the store, a slug, and a place within the plan: none when there is no place left. A
     * conditional UPDATE, because a count read beside the lock would be the one from before the wait for it.
     */
    product: (store: StoreId, asked: string | undefined, made: string) =>
      Effect.flatMap(nextProduct(store, asked ?? made), (row) => settle(row, asked, made)),

    /**
     * Takes the next id and a slug likewise, if the plan has room: none when the store is gone. Counted by a statement
     * of its own behind the lock, which sees what was committed during the wait for it.
     */
    collection: Effect.fnUntraced(function* (store: StoreId, asked: string | undefined, made: string) {
      const given = yield* nextCollection(store, asked ?? made)
      const full = Option.isSome(given) ? yield* fullOfCollections(store) : Option.none()
      if (Option.isSome(full)) return yield* new CollectionLimitReached({ limit: full.value.limit })
      return yield* settle(given, asked, made)
    }),

    /** Products that the store's plan allows; none when the store is gone. */
    limit: (store: StoreId) =>
      roomOf(sql`
        select p.product_limit as limit from stores s join plans p on p.name = s.plan
        where s.id = ${store} and s.deleted_at is null
      `),

    /** The lock alone, for writes that make nothing new. */
    lock: (store: StoreId) => finds(LOCK, store),

    /** That the store is there, for writes that race with nothing in it. */
    present: (store: StoreId) => finds(PRESENT, store),

    release: (store: StoreId) => sql`update stores set product_count = product_count - 1 where id = ${store}`,

    /** Refuses a slug that another resource of the store has. */
    claimSlug: (table: Table, store: StoreId, slug: string, own: string): Effect.Effect<void, SlugTaken> =>
      Effect.filterOrFail(
        Effect.orDie(sql`select 1 from ${sql(table)} where store_id = ${store} and slug = ${slug} and id <> ${own}`),
        (rows) => rows.length === 0,
        () => new SlugTaken({ slug })
      ).pipe(Effect.asVoid)
  }
}

export const orGone = Option.match({ onNone: () => new StoreNotFound(), onSome: Effect.succeed })
