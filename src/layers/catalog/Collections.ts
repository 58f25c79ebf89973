import type { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import type { Actor } from "../../domain/Actor.ts"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import {
  advance,
  CollectionId,
  type CollectionHead,
  CollectionNotFound,
  MAX_MEMBERS,
  newCollection,
  patchCollection,
  ProductIds,
  TooManyMembers,
  TooManyProductIds,
  typeOf,
  UnknownProducts,
  type UpdateCollection
} from "../../domain/catalog/Collection.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { slugOf } from "../../domain/catalog/Slug.ts"
import type { JsonText } from "../../domain/Document.ts"
import type { Events } from "../../domain/Events.ts"
import type { StoreId } from "../../domain/Store.ts"
import { satisfies, VersionMismatch } from "../../domain/Version.ts"
import type { Reads } from "../Reads.ts"
import { makeTransaction } from "../Transaction.ts"
import { makeAllocation, orGone } from "./Allocation.ts"
import { makeCollectionRepo, withProducts } from "./CollectionRepo.ts"
import { makeProductRepo } from "./ProductRepo.ts"

/** The ids, each once, if a manual collection may hold so many. */
const bounded = (given: ReadonlyArray<ProductId>): Effect.Effect<ReadonlyArray<ProductId>, TooManyProductIds> => {
  const ids = [...new Set(given)]
  return ids.length > MAX_MEMBERS ? new TooManyProductIds() : Effect.succeed(ids)
}

/** What a collection holds, as members of its JSON. */
const membersOf = (ids: ReadonlyArray<ProductId>): JsonText =>
  JSON.stringify({ productIds: ids, productCount: ids.length })

const decodeMembers = Schema.decodeUnknown(Schema.parseJson(Schema.Struct({ productIds: ProductIds })))

const idsIn = (members: JsonText): Effect.Effect<ReadonlyArray<ProductId>> =>
  Effect.orDie(Effect.map(decodeMembers(members), ({ productIds }) => productIds))

/*
 * Rules may take seconds, and the store's lock is the one that every create waits for. So rules run before it is taken,
 * and it is taken only by who needs it: locks in the order of ARCHITECTURE.md, The data.
 */
export const makeCollections = (sql: PgClient.PgClient, reads: Reads, events: typeof Events.Service) => {
  const transaction = makeTransaction(sql)
  const collections = makeCollectionRepo(sql, reads)
  const products = makeProductRepo(sql, reads)
  const allocation = makeAllocation(sql)

  const get = (store: StoreId, id: CollectionId) =>
    Effect.flatMap(
      collections.get(store, id),
      Option.match({ onNone: () => new CollectionNotFound({ id }), onSome: Effect.succeed })
    )

  /** Holds products of the store until the transaction ends. Refuses other ids, with their places in what was given. */
  const holdProducts = Effect.fnUntraced(function* (
    store: StoreId,
    ids: ReadonlyArray<ProductId>,
    given: ReadonlyArray<ProductId>
  ) {
    if (ids.length === 0) return
    const held = yield* products.hold(store, ids)
    if (held.size === ids.length) return
    const places = new Map(given.map((id, index) => [id, index] as const).toReversed())
    const unknown = ids.filter((id) => !held.has(id)).map((id) => ({ id, index: places.get(id) ?? 0 }))
    return yield* new UnknownProducts({ unknown })
  })

  /** The event of a write: what an automated collection holds is not part of what was written. */
  const tell = Effect.fnUntraced(function* (
    actor: Actor,
    { at, eventId }: { readonly at: Date; readonly eventId: string },
    head: CollectionHead,
    document: JsonText,
    members: JsonText
  ) {
    const written = withProducts({ id: head.id, version: head.version, document }, members)
    yield* events.record({
      id: eventId,
      kind: "catalog.collection.updated.v1",
      occurredAt: at,
      actor,
      resource: head.type === "automated" ? { ...written, json: document } : written
    })
    return written
  })

  /** What the next state of a collection holds unless it is told: what its rules match or did match, or its members. */
  const find = (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    given: UpdateCollection["productIds"]
  ) => {
    if (next.type === "automated") return collections.matches(store, next.id, next)
    return before.type === "automated" && given === undefined
      ? collections.matches(store, before.id, before)
      : collections.members(store, next.id)
  }

  /** A product that is a member already need not be held: who deletes it takes it out of here. */
  const replaceMembers = Effect.fnUntraced(function* (
    store: StoreId,
    id: CollectionId,
    found: JsonText,
    given: ReadonlyArray<ProductId>
  ) {
    const ids = yield* bounded(given)
    const members = membersOf(ids)
    if (members === found) return found
    const before = new Set(yield* idsIn(found))
    const added = ids.filter((id) => !before.has(id))
    yield* holdProducts(store, added, given)
    yield* collections.setMembers(store, id, ids, added)
    return members
  })

  /** Makes members of what the rules matched, except for what was deleted since. */
  const keepMatches = Effect.fnUntraced(function* (store: StoreId, id: CollectionId, found: JsonText) {
    const matched = yield* idsIn(found)
    if (matched.length > MAX_MEMBERS) return yield* new TooManyMembers({ count: matched.length })
    const held = yield* products.hold(store, matched)
    const ids = matched.filter((id) => held.has(id))
    yield* collections.setMembers(store, id, ids, ids)
    return membersOf(ids)
  })

  /** Brings the members in line with the next state of the collection, and answers what it holds then. */
  const moveMembers = Effect.fnUntraced(function* (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    found: JsonText,
    given: UpdateCollection["productIds"]
  ) {
    if (next.type === "automated") {
      if (before.type === "manual") yield* collections.removeMembers(store, next.id)
      return found
    }
    if (given !== undefined) return yield* replaceMembers(store, next.id, found, given)
    return before.type === "manual" ? found : yield* keepMatches(store, next.id, found)
  })

  return {
    listCollections: Effect.fn("Catalog.listCollections")(collections.page),

    getCollection: Effect.fn("Catalog.getCollection")(get),

    createCollection: Effect.fn("Catalog.createCollection")(function* (actor, input) {
      const store = actor.storeId
      const isManual = typeOf(input) === "manual"
      const ids = isManual ? yield* bounded(input.productIds ?? []) : []
      const matched = isManual
        ? undefined
        : yield* collections.matches(store, null, { disjunctive: false, rules: [], ...input })
      const given = yield* orGone(yield* allocation.collection(store, input.slug, slugOf(input.title)))
      const id = CollectionId.make(given.id)
      const head = newCollection(input, { ...given, id, slug: given.slug || `collection-${id.slice(-8)}` })
      yield* holdProducts(store, ids, input.productIds ?? [])
      const document = yield* collections.insert(store, head)
      if (ids.length > 0) yield* collections.setMembers(store, id, ids, ids)
      return yield* tell(actor, given, head, document, matched ?? membersOf(ids))
    }, transaction),

    updateCollection: Effect.fn("Catalog.updateCollection")(function* (actor, id, { productIds, ...patch }, condition) {
      const store = actor.storeId
      yield* allocation.present(store)
      const held = yield* collections.lock(store, id)
      if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
      const { at, document, head: before } = held.value
      if (!satisfies(before.version, condition)) return yield* new VersionMismatch({ current: before.version })
      const next = patchCollection(before, patch)
      const found = yield* find(store, before, next, productIds)
      if (next.slug !== before.slug) {
        yield* allocation.lock(store)
        yield* allocation.claimSlug("collections", store, next.slug, id)
      }
      const members = yield* moveMembers(store, before, next, found, productIds)
      if (next === before && members === found) return withProducts({ id, version: before.version, document }, found)
      const head = advance(next, at)
      return yield* tell(actor, held.value, head, yield* collections.update(store, head), members)
    }, transaction),

    deleteCollection: Effect.fn("Catalog.deleteCollection")(function* (actor, id, condition) {
      const store = actor.storeId
      yield* allocation.present(store)
      const held = yield* collections.lock(store, id)
      if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
      const { version } = held.value.head
      if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
      yield* collections.delete(store, id)
    }, transaction)
  } satisfies Partial<typeof Catalog.Service>
}
