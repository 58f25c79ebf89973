import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
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
import { makeTransaction } from "../Transaction.ts"
import { makeAllocation, orGone } from "./Allocation.ts"
import { makeCollectionRepo } from "./CollectionRepo.ts"
import { makeProductRepo } from "./ProductRepo.ts"

/** The ids, if a manual collection may hold so many. */
const bounded = (ids: ReadonlyArray<ProductId>): Effect.Effect<ReadonlyArray<ProductId>, TooManyProductIds> =>
  ids.length > MAX_MEMBERS ? new TooManyProductIds() : Effect.succeed(ids)

export const makeCollections = (sql: PgClient.PgClient, events: typeof Events.Service) => {
  const transaction = makeTransaction(sql)
  const collections = makeCollectionRepo(sql)
  const products = makeProductRepo(sql)
  const allocation = makeAllocation(sql)

  const get = (store: StoreId, id: CollectionId) =>
    Effect.flatMap(
      collections.get(store, id),
      Option.match({ onNone: () => new CollectionNotFound({ id }), onSome: Effect.succeed })
    )

  /** The ids, each once: products of the store, which stay there until the transaction ends. Refuses all others. */
  const holdProducts = Effect.fnUntraced(function* (store: StoreId, given: ReadonlyArray<ProductId>) {
    const places = new Map(given.map((id, index) => [id, index] as const).toReversed())
    const ids = [...new Set(given)]
    const held = yield* products.hold(store, ids)
    const unknown = ids.filter((id) => !held.has(id)).map((id) => ({ id, index: places.get(id) ?? 0 }))
    return unknown.length > 0 ? yield* new UnknownProducts({ unknown }) : ids
  })

  /** The event of a write: what an automated collection holds is not part of what was written. */
  const tell = Effect.fnUntraced(function* (
    actor: Actor,
    { at, eventId }: { readonly at: Date; readonly eventId: string },
    head: CollectionHead,
    document: JsonText
  ) {
    const written = yield* Effect.orDie(get(actor.storeId, head.id))
    yield* events.record({
      id: eventId,
      kind: "catalog.collection.updated.v1",
      occurredAt: at,
      actor,
      resource: {
        id: head.id,
        version: head.version,
        json: head.type === "automated" ? document : written.json
      }
    })
    return written
  })

  const replaceMembers = Effect.fnUntraced(function* (
    store: StoreId,
    id: CollectionId,
    given: ReadonlyArray<ProductId>
  ) {
    const ids = yield* holdProducts(store, yield* bounded(given))
    const before = yield* collections.members(store, id)
    if (before.length === ids.length && before.every((member, index) => member === ids[index])) return false
    yield* collections.removeMembers(store, id)
    yield* collections.addMembers(store, id, ids)
    return true
  })

  /** Brings the members in line with the next state of the collection. Answers whether they changed. */
  const moveMembers = Effect.fnUntraced(function* (
    store: StoreId,
    before: CollectionHead,
    next: CollectionHead,
    ids: UpdateCollection["productIds"]
  ) {
    if (next.type === "automated") {
      if (before.type === "manual") yield* collections.removeMembers(store, next.id)
      return false
    }
    if (ids !== undefined) return yield* replaceMembers(store, next.id, ids)
    if (before.type === "manual") return false
    const count = yield* collections.keepMatches(store, before, MAX_MEMBERS)
    return count > MAX_MEMBERS ? yield* new TooManyMembers({ count }) : true
  })

  return {
    listCollections: Effect.fn("Catalog.listCollections")(collections.page),

    getCollection: Effect.fn("Catalog.getCollection")(get),

    createCollection: Effect.fn("Catalog.createCollection")(function* (actor, input) {
      const store = actor.storeId
      const productIds = typeOf(input) === "manual" ? yield* bounded(input.productIds ?? []) : []
      const given = yield* orGone(yield* allocation.collection(store, input.slug, slugOf(input.title)))
      const id = CollectionId.make(given.id)
      const head = newCollection(input, { ...given, id, slug: given.slug || `collection-${id.slice(-8)}` })
      const ids = productIds.length > 0 ? yield* holdProducts(store, productIds) : []
      const document = yield* collections.insert(store, head)
      if (ids.length > 0) yield* collections.addMembers(store, id, ids)
      return yield* tell(actor, given, head, document)
    }, transaction),

    updateCollection: Effect.fn("Catalog.updateCollection")(function* (actor, id, { productIds, ...patch }, condition) {
      const store = actor.storeId
      yield* allocation.lock(store)
      const held = yield* collections.lock(store, id)
      if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
      const { at, head: before } = held.value
      if (!satisfies(before.version, condition)) return yield* new VersionMismatch({ current: before.version })
      const next = patchCollection(before, patch)
      if (next.slug !== before.slug) yield* allocation.claimSlug("collections", store, next.slug, id)
      const moved = yield* moveMembers(store, before, next, productIds)
      if (next === before && !moved) return yield* get(store, id)
      const head = advance(next, at)
      return yield* tell(actor, held.value, head, yield* collections.update(store, head))
    }, transaction),

    deleteCollection: Effect.fn("Catalog.deleteCollection")(function* (actor, id, condition) {
      const store = actor.storeId
      yield* allocation.lock(store)
      const held = yield* collections.lock(store, id)
      if (Option.isNone(held)) return yield* new CollectionNotFound({ id })
      const { version } = held.value.head
      if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
      yield* collections.delete(store, id)
    }, transaction)
  } satisfies Partial<typeof Catalog.Service>
}
