import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { Actor } from "../../domain/Actor.ts"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import {
  MAX_PRODUCT_BYTES,
  newProduct,
  patchProduct,
  type Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import { slugOf } from "../../domain/catalog/Slug.ts"
import { stringify } from "../../domain/Json.ts"
import type { Events } from "../../domain/Events.ts"
import type { StoreId } from "../../domain/Store.ts"
import { satisfies, VersionMismatch } from "../../domain/Version.ts"
import type { Reads } from "../Reads.ts"
import { traced } from "../Traced.ts"
import { atCommit, makeTransaction } from "../Transaction.ts"
import { type Allocated, makeAllocation, orGone } from "./Allocation.ts"
import { makeProductRepo } from "./ProductRepo.ts"

/** The product as it is stored and returned, unless it has grown too large. */
const documentOf = (product: Product) => {
  const json = stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES ? new ProductTooLarge() : Effect.succeed(json)
}

export const makeProducts = (sql: PgClient.PgClient, reads: Reads, events: typeof Events.Service) => {
  const transaction = makeTransaction(sql)
  const products = makeProductRepo(sql, reads)
  const allocation = makeAllocation(sql)

  const tell = (actor: Actor, event: { readonly eventId: string; readonly at: Date }, product: Product, json: string) =>
    events.record({
      id: event.eventId,
      kind: "catalog.product.updated.v1",
      occurredAt: event.at,
      actor,
      resource: { id: product.id, version: product.version, json }
    })

  const orFull = (store: StoreId) =>
    Option.match({
      onNone: () =>
        Effect.flatMap(
          Effect.flatMap(allocation.limit(store), orGone),
          ({ limit }) => new ProductLimitReached({ limit })
        ),
      onSome: (given: Allocated) => Effect.succeed(given)
    })

  return {
    listProducts: (store, page) => traced("Catalog.listProducts")(products.page(store, page)),

    createProduct: Effect.fnUntraced(
      function* (actor, input) {
        const store = actor.storeId
        const given = yield* orFull(store)(yield* allocation.product(store, input.slug, slugOf(input.name)))
        const id = ProductId.make(given.id)
        const product = newProduct(input, { ...given, id, slug: given.slug || `product-${id.slice(-8)}` })
        const json = yield* documentOf(product)
        for (const write of products.insert(store, product, json)) yield* atCommit(write)
        yield* tell(actor, given, product, json)
        return { id, version: product.version, json }
      },
      transaction,
      traced("Catalog.createProduct")
    ),

    updateProduct: Effect.fnUntraced(
      function* (actor, id, patch, condition) {
        const store = actor.storeId
        // Slugs are given out under the store's lock; a patch without one has no need to wait for it.
        if (patch.slug !== undefined) yield* allocation.lock(store)
        const held = yield* products.lock(store, id)
        if (Option.isNone(held)) return yield* new ProductNotFound({ id })
        const { at, document, product: before } = held.value
        if (!satisfies(before.version, condition)) return yield* new VersionMismatch({ current: before.version })
        const product = patchProduct(before, patch, at)
        if (product === before) return { id, version: before.version, json: document }
        if (product.slug !== before.slug) yield* allocation.claimSlug("products", store, product.slug, id)
        const json = yield* documentOf(product)
        for (const write of products.update(store, before, product, json)) yield* atCommit(write)
        yield* tell(actor, held.value, product, json)
        return { id, version: product.version, json }
      },
      transaction,
      traced("Catalog.updateProduct")
    ),

    deleteProduct: Effect.fnUntraced(
      function* (actor, id, condition) {
        const store = actor.storeId
        yield* allocation.lock(store)
        const held = yield* products.lockVersion(store, id)
        if (Option.isNone(held)) return yield* new ProductNotFound({ id })
        const { version } = held.value
        if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
        yield* atCommit(products.delete(store, id))
        yield* atCommit(allocation.release(store))
      },
      transaction,
      traced("Catalog.deleteProduct")
    )
  } satisfies Partial<typeof Catalog.Service>
}
