import { Effect, Option, Schema } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import {
  withNextVersion,
  CollectionId,
  type CollectionHead,
  CollectionNotFound,
  MAX_MEMBERS,
  newCollection,
  patchCollection,
  type RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  typeOf,
  UnknownProducts,
  type UpdateCollection
} from "../../domain/catalog/Collection.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { type Document, extend, type JsonText } from "../../domain/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { satisfies, VersionMismatch } from "../../domain/Version.ts"
import { Encoded, type Snapshot } from "../../domain/Write.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { countOf, deferToCommit, type Step } from "../sql/Plan.ts"
import { record } from "../Writes.ts"
import { allocateCollection, claimSlug, lockedStore, type ChangeStamp, presentStore } from "./Allocation.ts"
import {
  deleteCollection,
  type Held,
  insertCollection,
  lockCollection,
  makeCollectionReads,
  matchesIn,
  membersIn,
  removeMembers,
  setMembers,
  updateCollection,
  withProducts
} from "./CollectionRepository.ts"
import { slugify } from "./Slugify.ts"
import { holdProducts } from "./ProductRepository.ts"

/** The ids, each once, if a manual collection may hold so many. */
const bounded = Effect.fnUntraced(function* (
  given: ReadonlyArray<ProductId>
): Step<ReadonlyArray<ProductId>, TooManyProductIds> {
  const ids = [...new Set(given)]
  return ids.length > MAX_MEMBERS ? yield* new TooManyProductIds() : ids
})

/** What a collection holds, as members of its JSON. */
export const membersOf = (ids: ReadonlyArray<ProductId>): JsonText =>
  JSON.stringify({ productIds: ids, productCount: ids.length })

/** They were looked at when they came; to look at 10,000 again takes a millisecond. */
const StoredIds = Schema.declare((given): given is ReadonlyArray<ProductId> => Array.isArray(given))
const decodeMembers = compileTrustedDecoder(Schema.fromJsonString(Schema.Struct({ productIds: StoredIds })))

export const idsIn = (members: JsonText): ReadonlyArray<ProductId> => decodeMembers(members).productIds

/** Holds products of the store until the transaction ends. Refuses other ids, with their places in what was given. */
const holdAll = Effect.fnUntraced(function* (
  store: StoreId,
  ids: ReadonlyArray<ProductId>,
  given: ReadonlyArray<ProductId>
): Step<void, UnknownProducts> {
  if (ids.length === 0) return
  const held = yield* holdProducts(store, ids)
  if (held.size === ids.length) return
  const places = new Map(given.map((id, index) => [id, index] as const).toReversed())
  const unknown = ids.filter((id) => !held.has(id)).map((id) => ({ id, index: places.get(id) ?? 0 }))
  yield* new UnknownProducts({ unknown })
})

/** The members of its JSON by their names. */
const fieldsOf = (members: JsonText) => {
  const [start, end] = ['{"productIds":', ',"productCount":']
  const at = members.lastIndexOf(end)
  return {
    productIds: new Encoded(members.slice(start.length, at)),
    productCount: new Encoded(members.slice(at + end.length, -1))
  }
}

/** What was written of a collection: what an automated one holds is not part of it. */
export const writtenOf = (head: CollectionHead, document: JsonText, members: JsonText): Snapshot =>
  head.type === "automated"
    ? { json: document, fields: head }
    : { json: extend(document, members), fields: { ...head, ...fieldsOf(members) } }

/** What the next state of a collection holds unless it is told: what its rules match or did match, or its members. */
const find = Effect.fnUntraced(function* (
  store: StoreId,
  before: CollectionHead,
  next: CollectionHead,
  given: UpdateCollection["productIds"]
): Step<JsonText, RulesTooSlow> {
  if (next.type === "automated") return yield* matchesIn(store, next.id, next)
  return before.type === "automated" && given === undefined
    ? yield* matchesIn(store, before.id, before)
    : yield* membersIn(store, next.id)
})

/** A product that is a member already need not be held: who deletes it takes it out of here. */
const replaceMembers = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  found: JsonText,
  given: ReadonlyArray<ProductId>
): Step<JsonText, TooManyProductIds | UnknownProducts> {
  const ids = yield* bounded(given)
  const members = membersOf(ids)
  if (members === found) return found
  yield* Effect.yieldNow
  const before = new Set(idsIn(found))
  const added = ids.filter((id) => !before.has(id))
  yield* Effect.yieldNow
  yield* holdAll(store, added, given)
  yield* setMembers(store, id, ids, added, before.size)
  return members
})

/** Makes members of what the rules matched, except for what was deleted since. */
const keepMatches = Effect.fnUntraced(function* (
  store: StoreId,
  id: CollectionId,
  found: JsonText
): Step<JsonText, TooManyMembers> {
  const matched = idsIn(found)
  if (matched.length > MAX_MEMBERS) return yield* new TooManyMembers({ count: matched.length })
  const held = yield* holdProducts(store, matched)
  const ids = matched.filter((id) => held.has(id))
  yield* setMembers(store, id, ids, ids, 0)
  return membersOf(ids)
})

/** Brings the members in line with the next state of the collection, and answers what it holds then. */
const moveMembers = Effect.fnUntraced(function* (
  store: StoreId,
  before: CollectionHead,
  next: CollectionHead,
  found: JsonText,
  given: UpdateCollection["productIds"]
): Step<JsonText, TooManyProductIds | UnknownProducts | TooManyMembers> {
  if (next.type === "automated") {
    if (before.type === "manual") yield* countOf(removeMembers(store, next.id))
    return found
  }
  if (given !== undefined) return yield* replaceMembers(store, next.id, found, given)
  return before.type === "manual" ? found : yield* keepMatches(store, next.id, found)
})

/** Records that a collection was written, and answers it with what it holds. */
export const recordCollection = Effect.fnUntraced(function* (
  moment: ChangeStamp,
  head: CollectionHead,
  before: Snapshot | null,
  document: JsonText,
  members: JsonText
): Step<Document<CollectionId>> {
  yield* record(moment, "collection", head, before, writtenOf(head, document, members))
  return withProducts({ id: head.id, version: head.version, document }, members)
})

/** Deletes a collection that is held. */
export const removeCollection = Effect.fnUntraced(function* (store: StoreId, held: Held): Step<void> {
  const { document, head } = held
  const members = head.type === "manual" ? yield* membersIn(store, head.id) : "{}"
  yield* deferToCommit(deleteCollection(store, head.id))
  yield* record(held, "collection", head, writtenOf(head, document, members), null)
})

/*
 * Rules may take seconds, and the store's lock is the one that every create waits for. So rules run before it is taken,
 * and it is taken only by who needs it: locks in the order of ARCHITECTURE.md, The data.
 */
export const makeCollections = (database: DatabaseOf) => {
  const reads = makeCollectionReads(database)

  return {
    listCollections: Effect.fn("Catalog.listCollections")(reads.page),

    getCollection: Effect.fn("Catalog.getCollection")((store, id) =>
      Effect.flatMap(
        reads.get(store, id),
        Option.match({ onNone: () => new CollectionNotFound({ id }), onSome: Effect.succeed })
      )
    ),

    createCollection: (store, input) =>
      Effect.gen(function* () {
        const isManual = typeOf(input) === "manual"
        const ids = isManual ? yield* bounded(input.productIds ?? []) : []
        const members = isManual
          ? membersOf(ids)
          : yield* matchesIn(store, null, { disjunctive: false, rules: [], ...input })
        const given = yield* allocateCollection(store, input.slug, slugify(input.title))
        // Made by us: to check it took 120 µs, as `make` derives its schema anew each time.
        const id = CollectionId.make(given.id, { disableChecks: true })
        const head = newCollection(input, { ...given, id, slug: given.slug || `collection-${id.slice(-8)}` })
        yield* holdAll(store, ids, input.productIds ?? [])
        const document = yield* insertCollection(store, head)
        yield* setMembers(store, id, ids, ids, 0)
        return yield* recordCollection(given, head, null, document, members)
      }),

    updateCollection: (store, id, { productIds, ...patch }, condition) =>
      Effect.gen(function* () {
        yield* presentStore(store)
        const held = yield* lockCollection(store, id)
        if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
        const { at, document, head: before } = held.value
        if (!satisfies(before.version, condition)) {
          return yield* new VersionMismatch({ current: before.version })
        }
        const next = patchCollection(before, patch)
        const found = yield* find(store, before, next, productIds)
        if (next.slug !== before.slug) {
          yield* lockedStore(store)
          yield* claimSlug("collections", store, next.slug, id)
        }
        // What turns automated drops what it held by hand.
        const contents = before.type === "manual" && next.type === "automated" ? yield* membersIn(store, id) : found
        const members = yield* moveMembers(store, before, next, found, productIds)
        if (next === before && members === found) {
          return withProducts({ id, version: before.version, document }, found)
        }
        const head = withNextVersion(next, at)
        const changed = yield* updateCollection(store, head)
        return yield* recordCollection(held.value, head, writtenOf(before, document, contents), changed, members)
      }),

    deleteCollection: (store, id, condition) =>
      Effect.gen(function* () {
        yield* presentStore(store)
        const held = yield* lockCollection(store, id)
        if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
        const { version } = held.value.head
        if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
        yield* removeCollection(store, held.value)
      })
  } satisfies Partial<typeof Catalog.Service>
}
