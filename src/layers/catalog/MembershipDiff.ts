import { Effect, Schema } from "effect"
import { compileStoredDecoder } from "../../domain/Decoder.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { type Facets, facetsOf } from "../../domain/catalog/Facets.ts"
import { matches } from "../../domain/catalog/Matcher.ts"
import type { Product, ProductId } from "../../domain/catalog/Product.ts"
import { conditionsOf, Rule } from "../../domain/catalog/Rule.ts"
import { parse } from "../../domain/Json.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { MAX_DRY_RUN_ITEMS, type DryRunResult } from "../../domain/DryRun.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { sql } from "../sql/Statement.ts"
import { partOf } from "../Journal.ts"
import { selectRejoined } from "../journal/UndoProducts.ts"
import { type CollectionRow, makeHeads } from "./CollectionRepository.ts"

/** Milliseconds of work that the rules of a store are given to be applied to one product, waits for others aside. */
const WORK_MILLIS = 1_000

/** Milliseconds of it after which others come in between. */
const TURN_MILLIS = 5

/** What there is to know of a collection; that its rules make sense was seen when it was written. */
const decodeHead = compileStoredDecoder(
  Schema.Struct({ title: Schema.String, type: Schema.String, disjunctive: Schema.Boolean, rules: Schema.Array(Rule) })
)

/** Each is found by its key, whatever the tables held when it was planned: `offset 0` keeps it apart. */
const selectManual = (store: StoreId, product: ProductId) => sql`
  select m.collection_id as id, c.title
  from collection_members m join lateral (
    select document ->> 'title' as title from collections c
    where c.store_id = m.store_id and c.id = m.collection_id offset 0
  ) c on true
  where m.store_id = ${store} and m.product_id = ${product}
`

const Named = Schema.Struct({ id: Schema.toType(CollectionId), title: Schema.String })
type Named = typeof Named.Type

/** The same rules once with what a product was, and once with what it becomes: where one side alone matches, it moves. */
const moveOf = (
  { document, id }: CollectionRow,
  before: Facets | null,
  after: Facets | null
): { readonly named: Named; readonly isHeld: boolean } | undefined => {
  const { disjunctive, rules, title, type } = decodeHead(parse(document))
  if (type !== "automated") return undefined
  const conditions = conditionsOf(rules)
  const [wasHeld, isHeld] = [before, after].map((facets) => facets !== null && matches(facets, conditions, disjunctive))
  return wasHeld === isHeld ? undefined : { named: { id, title }, isHeld: isHeld === true }
}

const inOrder = (all: ReadonlyArray<Named>) =>
  all.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_DRY_RUN_ITEMS)

/**
 * The collections that a product enters and leaves as it goes from one state to the next, null being none, by what undoes
 * an entry of the journal or by what does not. The rules are
 * applied here and not in the database, which would have to hold the product for that: a page of collections at a time,
 * with no lock, and in turns with everybody else's work. Null where that takes too long: rules may be as many as 600,000.
 */
export const makeMembershipDiff = (database: DatabaseOf) => {
  const headsBehind = makeHeads(database)
  const namedOf = database.rows(Named)

  return (
    store: StoreId,
    id: ProductId,
    before: Product | null,
    after: Product | null,
    undoes?: string
  ): Effect.Effect<DryRunResult["collections"]> =>
    Effect.gen(function* () {
      const sides = [before && facetsOf(before), after && facetsOf(after)] as const
      // Who is changed stays in the manual collections, and who is made stands in none yet, unless it comes back.
      const enters: Array<Named> =
        before === null && undoes !== undefined
          ? [...(yield* namedOf(selectRejoined(store, undoes, partOf(undoes))))]
          : []
      const leaves: Array<Named> = after === null ? [...(yield* namedOf(selectManual(store, id)))] : []
      let worked = 0
      let cursor: CollectionId | undefined
      do {
        const page: ReadonlyArray<CollectionRow> = yield* headsBehind(store, { cursor, limit: MAX_LIMIT })
        cursor = page.at(-1)?.id
        let startedAt = performance.now()
        for (const row of page) {
          const move = moveOf(row, ...sides)
          if (move !== undefined) (move.isHeld ? enters : leaves).push(move.named)
          const took = performance.now() - startedAt
          if (took < TURN_MILLIS) continue
          worked += took
          if (worked > WORK_MILLIS) return null
          yield* Effect.yieldNow
          startedAt = performance.now()
        }
        worked += performance.now() - startedAt
      } while (cursor !== undefined)
      return {
        entersCount: enters.length,
        leavesCount: leaves.length,
        enters: inOrder(enters),
        leaves: inOrder(leaves)
      }
    })
}
