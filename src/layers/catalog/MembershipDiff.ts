import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { CollectionContents } from "../../domain/catalog/Documents.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { type Facets, facetsOf } from "../../domain/catalog/Facets.ts"
import { automatedOf, changedFields, crosses } from "../../domain/catalog/MembershipChange.ts"
import { type Product, ProductId } from "../../domain/catalog/Product.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { MAX_DRY_RUN_ITEMS } from "../../domain/DryRun.ts"
import { StoreId } from "../../domain/Store.ts"
import { partOf } from "../journal/Journal.ts"
import { selectRestoredMemberships } from "../journal/UndoProducts.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { type CollectionRow, CollectionRepository } from "./CollectionRepository.ts"

/** Maximum milliseconds of applying the rules of a store to one product, without waits. */
const MAX_MILLIS = 1_000

/** Milliseconds after which other fibers run. */
const YIELD_MILLIS = 5

const CollectionTitle = Schema.Struct({ id: Schema.toType(CollectionId), title: Schema.String })
type CollectionTitle = typeof CollectionTitle.Type
const readTitles = rowsReader(CollectionTitle)

/** Applies the rules of a collection to both states of a product. Returns undefined if both match or neither. */
const compareMembership = (
  { document, id }: CollectionRow,
  before: Facets | null,
  after: Facets | null,
  changed: ReadonlySet<string> | null
): { readonly collection: CollectionTitle; readonly enters: boolean } | undefined => {
  const { disjunctive, rules, title, type } = CollectionContents.parse(document)
  if (type !== "automated") return undefined
  const enters = crosses(automatedOf({ id, title, rules, disjunctive }), before, after, changed)
  return enters === undefined ? undefined : { collection: { id, title }, enters }
}

const firstById = (collections: ReadonlyArray<CollectionTitle>) =>
  collections.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_DRY_RUN_ITEMS)

/**
 * The function returns the collections a product enters and leaves with a change; a state is null if the product
 * does not exist. `undoes` is the journal entry that the change undoes, if any. Rules are applied here, since the database
 * contains only one of the states: page by page, without locks, and yielding to other fibers. Returns null if that takes too
 * long: a store may have 600,000 rules.
 */
export const membershipDiff = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { listHeads } = yield* CollectionRepository

  /** Each collection is found by its key, whatever the planner knew of the tables: `offset 0` keeps the subquery apart. */
  const listManual = SqlSchema.findAll({
    Request: Schema.Struct({ store: StoreId, product: ProductId }),
    Result: CollectionTitle,
    execute: ({ product, store }) => sql`
      select m.collection_id as id, c.title
      from collection_members m join lateral (
        select document ->> 'title' as title from collections c
        where c.store_id = m.store_id and c.id = m.collection_id offset 0
      ) c on true
      where m.store_id = ${store} and m.product_id = ${product}
    `
  })

  return Effect.fnUntraced(function* (
    store: StoreId,
    id: ProductId,
    before: Product | null,
    after: Product | null,
    undoes?: string
  ) {
    const sides = [before && facetsOf(before), after && facetsOf(after)] as const
    const changed = changedFields(...sides)
    // A changed product stays in its manual collections. A new one is in none, unless an undo restores it.
    const enters: Array<CollectionTitle> =
      before === null && undoes !== undefined
        ? [...(yield* readTitles(selectRestoredMemberships(sql, store, undoes, partOf(undoes))))]
        : []
    const leaves: Array<CollectionTitle> = after === null ? yield* listManual({ store, product: id }) : []
    let worked = 0
    let cursor: CollectionId | undefined
    do {
      const page: ReadonlyArray<CollectionRow> = yield* listHeads(store, { cursor, limit: MAX_LIMIT })
      cursor = page.at(-1)?.id
      let startedAt = performance.now()
      for (const row of page) {
        const change = compareMembership(row, ...sides, changed)
        if (change !== undefined) (change.enters ? enters : leaves).push(change.collection)
        const elapsed = performance.now() - startedAt
        if (elapsed < YIELD_MILLIS) continue
        worked += elapsed
        if (worked > MAX_MILLIS) return null
        yield* Effect.yieldNow
        startedAt = performance.now()
      }
      worked += performance.now() - startedAt
    } while (cursor !== undefined)
    return {
      entersCount: enters.length,
      leavesCount: leaves.length,
      enters: firstById(enters),
      leaves: firstById(leaves)
    }
  }, orDefect)
})
