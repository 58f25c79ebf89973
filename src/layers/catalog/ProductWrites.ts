import { Context, Effect, HashMap, Layer } from "effect"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import type { Product, ProductId } from "../../domain/catalog/Product.ts"
import {
  recordOf,
  type ProductChange,
  type ProductReferences,
  type StoredProduct
} from "../../domain/catalog/ProductState.ts"
import type { StoreId } from "../../domain/Store.ts"
import { ExternalIds } from "../imports/ExternalIds.ts"
import { MembershipsDocument } from "../journal/JournalRow.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { recordAll } from "../Writes.ts"
import { traced } from "../telemetry/Traced.ts"
import { ProductRepository } from "./ProductRepository.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { StoreAllocation } from "./StoreAllocation.ts"
import { hasSameTerms } from "./Terms.ts"

/** Number of changes per statement: about a millisecond of work for the database. */
const CHANGES_PER_STATEMENT = 50

/** States of a product before and after the changes of one statement. */
interface NetChange {
  readonly before: StoredProduct | null
  readonly after: StoredProduct | null
  readonly externalId?: string | undefined
}

/** Unique values of a product that another one can have after a change. */
const keysOf = (stored: StoredProduct | null, externalId: string | null | undefined) =>
  stored === null ? [] : [`slug ${stored.product.slug}`, ...(externalId ? [`externalId ${externalId}`] : [])]

/**
 * Splits changes into those of single statements, in their order: {@link CHANGES_PER_STATEMENT} at most, of which none needs
 * a slug or external id that another one gives up.
 */
const chunksOf = (
  changes: ReadonlyArray<ProductChange>,
  references: ReadonlyMap<ProductId, ProductReferences>
): ReadonlyArray<ReadonlyArray<ProductChange>> => {
  const chunks: Array<Array<ProductChange>> = []
  let released = new Set<string>()
  for (const change of changes) {
    const { after, before, externalId, id } = change
    const old = keysOf(before, after === null ? references.get(id)?.externalId : null)
    const next = keysOf(after, externalId)
    const last = chunks.at(-1)
    const isNext = last === undefined || last.length === CHANGES_PER_STATEMENT || next.some((key) => released.has(key))
    if (isNext) {
      released = new Set()
      chunks.push([change])
    } else last.push(change)
    for (const key of old) if (!next.includes(key)) released.add(key)
  }
  return chunks
}

/** Combines the changes of each product, because a statement can change a row only once. */
const combine = (changes: ReadonlyArray<ProductChange>): ReadonlyArray<NetChange> => {
  const net = new Map<ProductId, NetChange>()
  for (const { after, before, externalId, id } of changes) {
    const earlier = net.get(id)
    net.set(id, earlier === undefined ? { before, after, externalId } : { ...earlier, after })
  }
  return [...net.values()]
}

/**
 * Returns what refers to each product when those before it are deleted. A rank is the number of products before it in a
 * collection. Products in too many collections are not counted; their deletion cannot be undone.
 */
const referencesInTurn = (
  deleted: ReadonlyArray<readonly [ProductId, ProductReferences]>
): ReadonlyMap<ProductId, ProductReferences> => {
  const [only] = deleted
  if (only === undefined || deleted.length === 1) return new Map(deleted)
  const ranks = new Map<string, ReadonlyArray<number>>()
  return new Map(
    deleted.map(([id, { externalId, memberships }]): readonly [ProductId, ProductReferences] => {
      if (memberships === null) return [id, { externalId, memberships }]
      const inTurn = MembershipsDocument.parse(memberships).map(({ collectionId, rank }) => {
        const earlier = ranks.get(collectionId) ?? []
        ranks.set(collectionId, [...earlier, rank])
        return { collectionId, rank: rank - earlier.filter((other) => other < rank).length }
      })
      return [id, { externalId, memberships: MembershipsDocument.stringify(inTurn) }]
    })
  )
}

/** Stores changes of products that are decided: one of a request, or many of a change set, an import or an undo. */
export class ProductWrites extends Context.Service<ProductWrites>()("layers/catalog/ProductWrites", {
  make: Effect.gen(function* () {
    const { allocateProducts, countStatement } = yield* StoreAllocation
    const externalIds = yield* ExternalIds
    const repository = yield* ProductRepository
    const searchIndex = yield* SearchIndex
    const unitOfWork = yield* UnitOfWork

    const findReferences = Effect.fnUntraced(function* (store: StoreId, changes: ReadonlyArray<ProductChange>) {
      const deleted = changes.flatMap(({ after, before, id }) =>
        after === null && before !== null ? [{ before, id }] : []
      )
      const unknown = deleted.filter(({ before }) => before.references === undefined).map(({ id }) => id)
      const found = unknown.length === 0 ? undefined : yield* repository.lockReferences(store, unknown)
      return referencesInTurn(
        deleted.flatMap(({ before, id }) => {
          const references = before.references ?? found?.get(id)
          // A product that the same changes create has none yet.
          return [[id, references ?? { memberships: "[]", externalId: null }] as const]
        })
      )
    })

    /** Adds the statements that store products with their keys, terms and search words. */
    const addStatements = Effect.fnUntraced(function* (store: StoreId, changes: ReadonlyArray<NetChange>) {
      const index = (stored: StoredProduct, before: Product | undefined) => {
        const facets = facetsOf(stored.product)
        return before !== undefined && hasSameTerms(before, stored.product)
          ? { ...stored, facets, terms: null, unstored: [] }
          : { ...stored, facets, ...searchIndex.termsOf(store, facets) }
      }
      const inserts = changes.flatMap(({ after, before }) =>
        before === null && after !== null ? [index(after, undefined)] : []
      )
      const updates = changes.flatMap(({ after, before }) =>
        before !== null && after !== null ? [index(after, before.product)] : []
      )
      const deleted = changes.flatMap(({ after, before }) =>
        before !== null && after === null ? [before.product.id] : []
      )
      const unstored = [...inserts, ...updates].flatMap((row) => row.unstored)
      const named = changes.flatMap(({ after, before, externalId }) =>
        before === null && after !== null && externalId !== undefined ? [{ externalId, id: after.product.id }] : []
      )
      yield* unitOfWork.add(
        ...repository.insertStatements(store, inserts),
        ...repository.updateStatements(store, updates),
        ...(deleted.length === 0 ? [] : [repository.deleteStatement(store, deleted)]),
        ...searchIndex.insertStatements(store, unstored),
        ...(named.length === 0 ? [] : [externalIds.insertStatement(store, "product", named)])
      )
      yield* searchIndex.rememberStored(unstored)
    })

    const addChunk = Effect.fnUntraced(function* (
      store: StoreId,
      chunk: ReadonlyArray<ProductChange>,
      references: ReadonlyMap<ProductId, ProductReferences>
    ) {
      yield* addStatements(store, combine(chunk))
      yield* recordAll(chunk.map((change) => recordOf(change, references.get(change.id))))
    })

    return {
      /** Locks the store and a product, and returns the state for a change that may give it one of the slugs. */
      lock: traced("ProductWrites.lock")(function* (store: StoreId, id: ProductId, slugs: ReadonlyArray<string>) {
        const state = yield* allocateProducts(store, { instants: 1, slugs })
        return { ...state, products: HashMap.fromIterable(yield* repository.lockAll(store, [id])) }
      }),

      /** Locks the store and a product, and returns the state for its deletion. */
      lockToDelete: traced("ProductWrites.lockToDelete")(function* (store: StoreId, id: ProductId) {
        const state = yield* allocateProducts(store, { instants: 1, slugs: [] })
        return { ...state, products: HashMap.fromIterable(yield* repository.lockToDelete(store, id)) }
      }),

      /**
       * Stores and records changes, in their order. Their products are locked, and so is the store if one of them is created,
       * deleted, or changes its slug. `counted` new products are counted already.
       */
      store: traced("ProductWrites.store")(function* (
        store: StoreId,
        changes: ReadonlyArray<ProductChange>,
        counted = 0
      ) {
        const references = yield* findReferences(store, changes)
        const [first = [], ...others] = chunksOf(changes, references)
        yield* addChunk(store, first, references)
        for (const chunk of others) {
          // The flush takes the statements before the next ones are added, which are made while the database works.
          yield* Effect.all([unitOfWork.flush, Effect.andThen(Effect.yieldNow, addChunk(store, chunk, references))], {
            concurrency: 2
          })
        }
        const created = changes.filter(({ before }) => before === null).length
        const deleted = changes.filter(({ after }) => after === null).length
        const count = created - deleted - counted
        if (count !== 0) yield* unitOfWork.add(countStatement(store, count))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
