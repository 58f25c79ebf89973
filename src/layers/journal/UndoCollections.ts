import { Effect, Option, Schema } from "effect"
import { type CollectionHead, CollectionId } from "../../domain/catalog/Collection.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { canonical } from "../../domain/json/Json.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import type { StoreId } from "../../domain/Store.ts"
import { CollectionRepository, headOf } from "../catalog/CollectionRepository.ts"
import {
  collectionSnapshot,
  decodeMembers,
  encodeMembers,
  lockedCollectionDeletion,
  recordCollection
} from "../catalog/Collections.ts"
import { ProductRepository } from "../catalog/ProductRepository.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { type JournalRow, membersOfSide, productIdsOf } from "./JournalRow.ts"

const NO_MEMBERS: JsonText = encodeMembers([])

const toId = Schema.decodeSync(CollectionId)

/** Makes the function that undoes a change of a collection. The collection and the store must be locked. */
export const collectionUndo = Effect.gen(function* () {
  const { allocateCollection, requireFreeSlug } = yield* StoreAllocation
  const { lockExisting } = yield* ProductRepository
  const { deleteMembers, findMembers, insert, lock, setMembers, update } = yield* CollectionRepository
  const deleteLocked = yield* lockedCollectionDeletion

  /** Stores products as members in this order, as far as they still exist, and returns the members. */
  const storeMembers = Effect.fnUntraced(function* (
    store: StoreId,
    id: CollectionId,
    products: ReadonlyArray<ProductId>,
    current: JsonText
  ) {
    const existing = yield* lockExisting(store, products)
    const ids = products.filter((product) => existing.has(product))
    const before = new Set(decodeMembers(current))
    const added = ids.filter((product) => !before.has(product))
    yield* setMembers(store, id, ids, added, before.size)
    return encodeMembers(ids)
  })

  /** Restores the members from before the change. */
  const revertMembers = Effect.fnUntraced(function* (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    current: JsonText,
    entry: JournalRow
  ) {
    if (next.type === "automated") {
      if (before.type === "manual") yield* deleteMembers(store, next.id)
      return NO_MEMBERS
    }
    const products = productIdsOf(entry)
    return products === undefined ? current : yield* storeMembers(store, next.id, products, current)
  })

  /** Restores a deleted collection with those of its products that still exist. */
  const restore = Effect.fnUntraced(function* (store: StoreId, id: CollectionId, entry: JournalRow) {
    const deleted = headOf(membersOfSide(entry.before))
    const stamp = yield* allocateCollection(store, { slug: deleted.slug, isRequested: true })
    const head = { ...deleted, version: deleted.version + 1, updatedAt: stamp.at.toISOString() }
    const document = yield* insert(store, head)
    const members = yield* storeMembers(store, id, productIdsOf(entry) ?? [], NO_MEMBERS)
    yield* recordCollection(stamp, head, null, document, members)
  })

  /** Restores what a change changed. Rules are not run: events of automated collections contain no products. */
  const revert = Effect.fnUntraced(function* (store: StoreId, id: CollectionId, entry: JournalRow) {
    const locked = Option.getOrThrow(yield* lock(store, id))
    const { at, document, head: before } = locked
    const fields = restoreMembers(parseMembers(document), membersOfSide(entry.before), membersOfSide(entry.after))
    const next = headOf({ ...fields, version: before.version, updatedAt: before.updatedAt })
    const current = before.type === "manual" ? yield* findMembers(store, id) : NO_MEMBERS
    if (next.slug !== before.slug) yield* requireFreeSlug(store, next.slug, id)
    const members = yield* revertMembers(store, before, next, current, entry)
    // Deleted products are not restored, so nothing may have changed.
    if (members === current && canonical(next) === canonical(before)) return
    const head = { ...next, version: before.version + 1, updatedAt: at.toISOString() }
    const changed = yield* update(store, head)
    yield* recordCollection(locked, head, collectionSnapshot(before, document, current), changed, members)
  })

  return Effect.fnUntraced(function* (store: StoreId, entry: JournalRow) {
    const id = toId(entry.resourceId)
    if (entry.before === null) {
      yield* deleteLocked(store, Option.getOrThrow(yield* lock(store, id)))
    } else {
      yield* entry.after === null ? restore(store, id, entry) : revert(store, id, entry)
    }
  })
})
