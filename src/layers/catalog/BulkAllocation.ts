import { Array, Effect, Option, Schema } from "effect"
import { numbered } from "../../domain/catalog/Slug.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { firstOf, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { arrayOf } from "../Lists.ts"

/*
 * What `Allocation.ts` does for one product, for many at once: the store's row is the lock, and gives them their ids and
 * their slugs.
 */

// Of a row that is locked PostgreSQL reads again what the wait for the lock left of it, unlike of one that is counted.
const holdStore = (store: StoreId) => sql`
  select
    s.currency_code as "currencyCode", p.product_limit as limit, p.product_limit - s.product_count as room,
    clock_micros() as clock
  from stores s join plans p on p.name = s.plan
  where s.id = ${store} and s.deleted_at is null for no key update of s
`
const Room = Schema.Struct({
  currencyCode: Schema.String,
  /** Products that the plan allows, and how many of them there are not yet: less than none after a move to a smaller plan. */
  limit: Schema.Int,
  room: Schema.Int,
  clock: Schema.NumberFromString
})
type Room = typeof Room.Type
const heldOf = firstOf(Room)

/** Takes the lock of the store, and says what it has room for. */
export const roomOf = Effect.fnUntraced(function* (store: StoreId): Step<Room, StoreNotFound> {
  const held = yield* heldOf(holdStore(store))
  return Option.isSome(held) ? held.value : yield* new StoreNotFound()
})

/** A slug that a product is to have: one that was asked for, or one that was made, to which a number may be added. */
export interface SlugRequest {
  readonly slug: string
  readonly isAsked: boolean
}

/** What a product is given. */
export interface ProductAllocation {
  /** Microseconds that no other change of the store has. */
  readonly clock: number
  /** None where it was asked for, and is another's. */
  readonly slug: Option.Option<string>
}

// Each slug is looked for by itself: for all at once a plan made while the store was empty reads all of its products.
const takeTicks = (store: StoreId, count: number, slugs: string) => sql`
  update stores set id_clock = greatest(id_clock + 1, change_clock(id)) + ${count}::integer - 1 where id = ${store}
  returning id_clock - ${count}::integer + 1 as clock,
    array(
      select wanted.slug from unnest(${slugs}::text[]) as wanted (slug), lateral (
        select from products p where p.store_id = ${store} and p.slug = wanted.slug offset 0
      ) as taken
    ) as taken
`
const ticksOf = firstOf(
  Schema.Struct({
    /** The first tick, which the others follow. */
    clock: Schema.NumberFromString,
    /** Slugs that are somebody's. */
    taken: Schema.Array(Schema.String)
  })
)

const selectChoices = (store: StoreId, slugs: string, given: string) =>
  sql`select free_product_slugs(${store}, ${slugs}, ${given}) as choices`
const choicesOf = firstOf(Schema.Struct({ choices: Schema.Array(Schema.Int) }))

/** Takes a tick of the store's clock and a slug for each. The store must be held. */
export const grantAll = Effect.fnUntraced(function* (
  store: StoreId,
  wishes: ReadonlyArray<SlugRequest>
): Step<ReadonlyArray<ProductAllocation>> {
  const wished = wishes.map(({ slug }) => slug)
  const { clock, taken } = Option.getOrThrow(yield* ticksOf(takeTicks(store, wishes.length, arrayOf(wished))))
  const gone = new Set(taken)
  const given = new Map<SlugRequest, string>()
  for (const wish of wishes) {
    if (wish.slug !== "" && gone.has(wish.slug)) continue
    given.set(wish, wish.slug)
    gone.add(wish.slug)
  }
  // What was made of a name and is taken gets a number.
  const numberless = wishes.filter((wish) => !given.has(wish) && !wish.isAsked)
  if (numberless.length > 0) {
    const bases = numberless.map(({ slug }) => slug)
    const { choices } = Option.getOrThrow(
      yield* choicesOf(selectChoices(store, arrayOf(bases), arrayOf([...given.values()])))
    )
    for (const [wish, choice] of Array.zip(numberless, choices)) given.set(wish, numbered(wish.slug, choice))
  }
  return wishes.map((wish, place) => ({ clock: clock + place, slug: Option.fromNullishOr(given.get(wish)) }))
})

/** Counts products that were made. */
export const countProducts = (store: StoreId, count: number) =>
  sql`update stores set product_count = product_count + ${count} where id = ${store}`
