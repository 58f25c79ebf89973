import { Effect, Option } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import {
  withNextVersion,
  CollectionId,
  type CollectionHead,
  CollectionNotFound,
  MAX_MEMBERS,
  newCollection,
  patchCollection,
  TooManyMembers,
  TooManyProductIds,
  typeOf,
  UnknownProducts,
  type UpdateCollection
} from "../../domain/catalog/Collection.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { satisfies, VersionMismatch } from "../../domain/Version.ts"
import { Encoded, type Snapshot } from "../../domain/Write.ts"
import { orDefect } from "../sql/Errors.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { record } from "../Writes.ts"
import { collectionReads } from "./CollectionReads.ts"
import { CollectionRepository, type LockedCollection, withMembers } from "./CollectionRepository.ts"
import { ProductRepository } from "./ProductRepository.ts"
import { slugify } from "./Slugify.ts"
import type { ChangeStamp } from "../../domain/catalog/ProductState.ts"
import { traced } from "../telemetry/Traced.ts"
import { StoreAllocation } from "./StoreAllocation.ts"

/** Removes duplicates. Fails if a manual collection may not have so many members. */
const uniqueIds = Effect.fnUntraced(function* (products: ReadonlyArray<ProductId>) {
  const ids = [...new Set(products)]
  return ids.length > MAX_MEMBERS ? yield* new TooManyProductIds() : ids
})

/** Encodes products as members of the JSON of a collection. */
export const encodeMembers = (ids: ReadonlyArray<ProductId>): JsonText =>
  JSON.stringify({ productIds: ids, productCount: ids.length })

/** Not validated, as the database or `encodeMembers` made this JSON from ids: a schema takes a millisecond for 10,000. */
export const decodeMembers = (members: JsonText): ReadonlyArray<ProductId> =>
  (JSON.parse(members) as { readonly productIds: ReadonlyArray<ProductId> }).productIds

/** Returns the members of the JSON by name, still encoded. */
const fieldsOf = (members: JsonText) => {
  const [start, end] = ['{"productIds":', ',"productCount":']
  const at = members.lastIndexOf(end)
  return {
    productIds: new Encoded(members.slice(start.length, at)),
    productCount: new Encoded(members.slice(at + end.length, -1))
  }
}

/** Makes the snapshot of a collection for the journal. The products of an automated collection are not part of it. */
export const collectionSnapshot = (head: CollectionHead, document: JsonText, members: JsonText): Snapshot =>
  head.type === "automated"
    ? { json: document, fields: head }
    : { json: extend(document, members), fields: { ...head, ...fieldsOf(members) } }

/** Records the change of a collection and returns it with its members. */
export const recordCollection = Effect.fnUntraced(function* (
  stamp: ChangeStamp,
  head: CollectionHead,
  before: Snapshot | null,
  document: JsonText,
  members: JsonText
) {
  yield* record(stamp, "collection", head, before, collectionSnapshot(head, document, members))
  return withMembers({ id: head.id, version: head.version, document }, members)
})

/** Makes the function that deletes a locked collection. */
export const lockedCollectionDeletion = Effect.gen(function* () {
  const { deleteStatement, findMembers } = yield* CollectionRepository
  const unitOfWork = yield* UnitOfWork

  return Effect.fnUntraced(function* (store: StoreId, locked: LockedCollection) {
    const { document, head } = locked
    const members = head.type === "manual" ? yield* findMembers(store, head.id) : "{}"
    yield* unitOfWork.add(deleteStatement(store, head.id))
    yield* record(locked, "collection", head, collectionSnapshot(head, document, members), null)
  })
})

/*
 * Rules may take seconds, and every create waits for the lock of the store. So rules run before it is taken, and only
 * writes that need it take it: locks in the order of ARCHITECTURE.md, Invariants.
 */
export const collectionOperations = Effect.gen(function* () {
  const { allocateCollection, lockStore, requireFreeSlug, requireStore } = yield* StoreAllocation
  const { lockExisting } = yield* ProductRepository
  const repository = yield* CollectionRepository
  const { deleteMembers, findMatches, findMembers, setMembers } = repository
  const reads = yield* collectionReads
  const deleteLocked = yield* lockedCollectionDeletion

  /** Locks products of the store. Fails for unknown ids, with their indexes in the request. */
  const requireProducts = Effect.fnUntraced(function* (
    store: StoreId,
    ids: ReadonlyArray<ProductId>,
    requested: ReadonlyArray<ProductId>
  ) {
    if (ids.length === 0) return
    const existing = yield* lockExisting(store, ids)
    if (existing.size === ids.length) return
    const indexes = new Map(requested.map((id, index) => [id, index] as const).toReversed())
    const unknown = ids.filter((id) => !existing.has(id)).map((id) => ({ id, index: indexes.get(id) ?? 0 }))
    yield* new UnknownProducts({ unknown })
  })

  /** Returns the members that the next state has without a list of products: matches of its rules, or its members. */
  const findCurrentMembers = Effect.fnUntraced(function* (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    requested: UpdateCollection["productIds"]
  ) {
    if (next.type === "automated") return yield* findMatches(store, next.id, next)
    return before.type === "automated" && requested === undefined
      ? yield* findMatches(store, before.id, before)
      : yield* findMembers(store, next.id)
  })

  /** Replaces the members of a manual collection. Products that are members already need no lock. */
  const replaceMembers = Effect.fnUntraced(function* (
    store: StoreId,
    id: CollectionId,
    current: JsonText,
    requested: ReadonlyArray<ProductId>
  ) {
    const ids = yield* uniqueIds(requested)
    const members = encodeMembers(ids)
    if (members === current) return current
    yield* Effect.yieldNow
    const before = new Set(decodeMembers(current))
    const added = ids.filter((id) => !before.has(id))
    yield* Effect.yieldNow
    yield* requireProducts(store, added, requested)
    yield* setMembers(store, id, ids, added, before.size)
    return members
  })

  /** Stores the matches of the rules as members, except for products deleted since. */
  const storeMatches = Effect.fnUntraced(function* (store: StoreId, id: CollectionId, matches: JsonText) {
    const matched = decodeMembers(matches)
    if (matched.length > MAX_MEMBERS) return yield* new TooManyMembers({ count: matched.length })
    const existing = yield* lockExisting(store, matched)
    const ids = matched.filter((id) => existing.has(id))
    yield* setMembers(store, id, ids, ids, 0)
    return encodeMembers(ids)
  })

  /** Stores the members of the next state of a collection and returns them. */
  const storeMembers = Effect.fnUntraced(function* (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    current: JsonText,
    requested: UpdateCollection["productIds"]
  ) {
    if (next.type === "automated") {
      if (before.type === "manual") yield* deleteMembers(store, next.id)
      return current
    }
    if (requested !== undefined) return yield* replaceMembers(store, next.id, current, requested)
    return before.type === "manual" ? current : yield* storeMatches(store, next.id, current)
  })

  return {
    listCollections: traced("Catalog.listCollections")(reads.readPage, orDefect),

    queryCollections: traced("Catalog.queryCollections")(reads.readQuery, orDefect),

    getCollection: traced("Catalog.getCollection")(function* (store, id) {
      const collection = yield* reads.readById(store, id)
      return Option.isSome(collection) ? collection.value : yield* new CollectionNotFound({ id })
    }, orDefect),

    createCollection: traced("Catalog.createCollection")(function* (store, input) {
      const isManual = typeOf(input) === "manual"
      const ids = isManual ? yield* uniqueIds(input.productIds ?? []) : []
      const members = isManual
        ? encodeMembers(ids)
        : yield* findMatches(store, null, { disjunctive: false, rules: [], ...input })
      const allocated = yield* allocateCollection(store, {
        slug: input.slug ?? slugify(input.title),
        isRequested: input.slug !== undefined
      })
      // Checks would take 120 µs, because `make` derives its schema anew each time.
      const id = CollectionId.make(allocated.id, { disableChecks: true })
      const head = newCollection(input, { ...allocated, id, slug: allocated.slug || `collection-${id.slice(-8)}` })
      yield* requireProducts(store, ids, input.productIds ?? [])
      const document = yield* repository.insert(store, head)
      yield* setMembers(store, id, ids, ids, 0)
      return yield* recordCollection(allocated, head, null, document, members)
    }),

    updateCollection: traced("Catalog.updateCollection")(function* (store, id, { productIds, ...patch }, condition) {
      yield* requireStore(store)
      const locked = yield* repository.lock(store, id)
      if (Option.isNone(locked)) return yield* new CollectionNotFound({ id })
      const { at, document, head: before } = locked.value
      if (!satisfies(before.version, condition)) {
        return yield* new VersionMismatch({ current: before.version })
      }
      const next = patchCollection(before, patch)
      const current = yield* findCurrentMembers(store, before, next, productIds)
      if (next.slug !== before.slug) {
        yield* lockStore(store)
        yield* requireFreeSlug(store, next.slug, id)
      }
      // A collection that becomes automated loses its manual members, which the journal stores.
      const contents = before.type === "manual" && next.type === "automated" ? yield* findMembers(store, id) : current
      const members = yield* storeMembers(store, before, next, current, productIds)
      if (next === before && members === current) {
        return withMembers({ id, version: before.version, document }, current)
      }
      const head = withNextVersion(next, at)
      const changed = yield* repository.update(store, head)
      return yield* recordCollection(
        locked.value,
        head,
        collectionSnapshot(before, document, contents),
        changed,
        members
      )
    }),

    deleteCollection: traced("Catalog.deleteCollection")(function* (store, id, condition) {
      yield* requireStore(store)
      const locked = yield* repository.lock(store, id)
      if (Option.isNone(locked)) return yield* new CollectionNotFound({ id })
      const { version } = locked.value.head
      if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
      yield* deleteLocked(store, locked.value)
    })
  } satisfies Partial<typeof Catalog.Service>
})
