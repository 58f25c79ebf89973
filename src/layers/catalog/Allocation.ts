import { Effect, Option, Schema, Struct } from "effect"
import { CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import { ProductLimitReached } from "../../domain/catalog/Product.ts"
import { numbered, SlugTaken } from "../../domain/catalog/Slug.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { sql, type Statement } from "../sql/Statement.ts"

/*
 * The row of the store: it counts the products, makes the ids, and is the lock of everything that must not race.
 */

const Given = Schema.Struct({
  /** Microseconds: the newest ones that an id of the store was made of. */
  clock: Schema.NumberFromString,
  currencyCode: Schema.String,
  /** Which choice of the slug is free: 1 is the slug itself. */
  choice: Schema.Int
})

/** When a change is made, and the id of what tells of it. */
export interface ChangeStamp {
  readonly at: Date
  readonly eventId: string
}

/** What `change_clock` of the database said, in microseconds: only of that may the id of a change be made. */
export const stampOf = (clock: number): ChangeStamp => ({
  at: new Date(Math.floor(clock / 1000)),
  eventId: uuidOfMicros(clock)
})

/** What a new resource is given, once its store is locked. */
export interface Allocated extends ChangeStamp {
  readonly id: string
  readonly slug: string
  readonly currencyCode: string
}

/** The slug that was asked for, which must be free, or the first free one of those made from the name. */
const settle = Effect.fnUntraced(function* (
  { choice, clock, currencyCode }: typeof Given.Type,
  asked: string | undefined,
  made: string
): Step<Allocated, SlugTaken> {
  if (asked !== undefined && choice > 1) return yield* new SlugTaken({ slug: asked })
  const { at, eventId } = stampOf(clock)
  return { at, eventId, id: uuidOfMicros(clock), currencyCode, slug: asked ?? numbered(made, choice) }
})

// Computed when the row is locked and changed. The function that chooses the slug is volatile, so what it looks at is
// what is there then, after the wait for the lock.
const TICK = sql`id_clock = greatest(id_clock + 1, change_clock(id))`

const takeProduct = (store: StoreId, slug: string) => sql`
  update stores set product_count = product_count + 1, ${TICK}
  where id = ${store} and deleted_at is null
    and product_count < (select product_limit from plans where name = plan)
  returning id_clock as clock, currency_code as "currencyCode", free_product_slug(id, ${slug}) as choice
`

const takeCollection = (store: StoreId, slug: string) => sql`
  update stores set ${TICK} where id = ${store} and deleted_at is null
  returning id_clock as clock, currency_code as "currencyCode", free_collection_slug(id, ${slug}) as choice
`

const allocatedOf = firstOf(Given)

const takeMany = (store: StoreId, count: number) => sql`
  update stores set id_clock = greatest(id_clock + ${count}, change_clock(id))
  where id = ${store} and deleted_at is null
  returning id_clock as clock, currency_code as "currencyCode"
`
const takenOf = firstOf(Given.mapFields(Struct.omit(["choice"])))

const selectStore = (store: StoreId) => sql`select 1 from stores where id = ${store} and deleted_at is null`
const lockStore = (store: StoreId) =>
  sql`select 1 from stores where id = ${store} and deleted_at is null for no key update`

const selectLimit = (store: StoreId) => sql`
  select p.product_limit as limit from stores s join plans p on p.name = s.plan
  where s.id = ${store} and s.deleted_at is null
`

/**
 * The limit of the store's plan, when it has so many collections. Counted and not kept: a collection is seldom made, the
 * 10,000 of the largest plan are counted in milliseconds, and a count is right beside processes that would keep none.
 */
const selectFullOfCollections = (store: StoreId) => sql`
  select p.collection_limit as limit from stores s join plans p on p.name = s.plan
  where s.id = ${store} and p.collection_limit <= (select count(*) from collections where store_id = ${store})
`

const limitOf = firstOf(Schema.Struct({ limit: Schema.Int }))

/** Refuses a product for which there was no place: the store is gone, or its plan is full. */
const refuseProduct = Effect.fnUntraced(function* (store: StoreId): Step<never, StoreNotFound | ProductLimitReached> {
  const full = yield* limitOf(selectLimit(store))
  return yield* Effect.fail(Option.isNone(full) ? new StoreNotFound() : new ProductLimitReached(full.value))
})

/** Refuses another collection where the plan is full, under the lock of the store. */
const roomForCollection = Effect.fnUntraced(function* (store: StoreId): Step<void, CollectionLimitReached> {
  const full = yield* limitOf(selectFullOfCollections(store))
  if (Option.isSome(full)) yield* new CollectionLimitReached(full.value)
})

/**
 * Takes the next id of the store, a slug, and a place within the plan. A conditional UPDATE, because a count read beside
 * the lock would be the one from before the wait for it.
 */
export const allocateProduct = Effect.fnUntraced(function* (
  store: StoreId,
  asked: string | undefined,
  made: string
): Step<Allocated, StoreNotFound | ProductLimitReached | SlugTaken> {
  const row = yield* allocatedOf(takeProduct(store, asked ?? made))
  return Option.isSome(row) ? yield* settle(row.value, asked, made) : yield* refuseProduct(store)
})

const returnProduct = (store: StoreId) => sql`
  update stores set product_count = product_count + 1, ${TICK}
  where id = ${store} and deleted_at is null and product_count < (select product_limit from plans where name = plan)
  returning id_clock as clock
`
const returnCollection = (store: StoreId) =>
  sql`update stores set ${TICK} where id = ${store} and deleted_at is null returning id_clock as clock`
const clockOf = firstOf(Given.mapFields(Struct.pick(["clock"])))

/** Takes a place within the plan for a product that comes back with the id and the slug that it had, if that is free. */
export const reallocateProduct = Effect.fnUntraced(function* (
  store: StoreId,
  { id, slug }: { readonly id: string; readonly slug: string }
): Step<ChangeStamp, StoreNotFound | ProductLimitReached | SlugTaken> {
  const row = yield* clockOf(returnProduct(store))
  if (Option.isNone(row)) return yield* refuseProduct(store)
  yield* claimSlug("products", store, slug, id)
  return stampOf(row.value.clock)
})

/** The same for a collection. */
export const reallocateCollection = Effect.fnUntraced(function* (
  store: StoreId,
  { id, slug }: { readonly id: string; readonly slug: string }
): Step<ChangeStamp, StoreNotFound | CollectionLimitReached | SlugTaken> {
  const row = yield* clockOf(returnCollection(store))
  if (Option.isNone(row)) return yield* new StoreNotFound()
  yield* roomForCollection(store)
  yield* claimSlug("collections", store, slug, id)
  return stampOf(row.value.clock)
})

/**
 * Takes the next id and a slug likewise, if the plan has room. Counted by a statement of its own after the lock, which
 * sees what was committed during the wait for it.
 */
export const allocateCollection = Effect.fnUntraced(function* (
  store: StoreId,
  asked: string | undefined,
  made: string
): Step<Allocated, StoreNotFound | CollectionLimitReached | SlugTaken> {
  const row = yield* allocatedOf(takeCollection(store, asked ?? made))
  if (Option.isNone(row)) return yield* new StoreNotFound()
  yield* roomForCollection(store)
  return yield* settle(row.value, asked, made)
})

/**
 * Takes the lock of the store, and up to `count` instants of its clock in microseconds, each later than all that were given
 * out before: ids and times of what many rows change at once.
 */
export const allocateMany = Effect.fnUntraced(function* (
  store: StoreId,
  count: number
): Step<{ readonly currencyCode: string; readonly tick: () => number }, StoreNotFound> {
  const taken = yield* takenOf(takeMany(store, count))
  if (Option.isNone(taken)) return yield* new StoreNotFound()
  const { clock, currencyCode } = taken.value
  let left = count
  return { currencyCode, tick: () => clock - --left }
})

/** Refuses unless the statement finds the store. */
const finding = (statement: (store: StoreId) => Statement) =>
  Effect.fnUntraced(function* (store: StoreId): Step<void, StoreNotFound> {
    if ((yield* countOf(statement(store))) === 0) yield* new StoreNotFound()
  })

/** Takes the lock alone, for writes that make nothing new. */
export const lockedStore = finding(lockStore)

/** Sees that the store is there, for writes that race with nothing in it. */
export const presentStore = finding(selectStore)

/** Gives the place of a product within the plan back. */
export const releaseProduct = (store: StoreId) =>
  sql`update stores set product_count = product_count - 1 where id = ${store}`

const selectSlug = (table: "products" | "collections", store: StoreId, slug: string, own: string) =>
  sql`select 1 from ${sql(table)} where store_id = ${store} and slug = ${slug} and id <> ${own}`

/** Refuses a slug that another resource of the store has. */
export const claimSlug = Effect.fnUntraced(function* (
  table: "products" | "collections",
  store: StoreId,
  slug: string,
  own: string
): Step<void, SlugTaken> {
  if ((yield* countOf(selectSlug(table, store, slug, own))) > 0) yield* new SlugTaken({ slug })
})
