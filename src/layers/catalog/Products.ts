import { Effect, Option, type Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { withStock } from "../../domain/catalog/Inventory.ts"
import {
  MAX_PRODUCT_BYTES,
  newProduct,
  patchProduct,
  type Product,
  ProductId,
  ProductNotFound,
  ProductTooLarge
} from "../../domain/catalog/Product.ts"
import type { Document } from "../../domain/json/Document.ts"
import { satisfies, type VersionCondition, VersionMismatch } from "../../domain/Version.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { ChangeRecorder, Snapshot } from "../../domain/Write.ts"
import { orDefect } from "../sql/Errors.ts"
import type { ConnectionPool } from "../sql/Postgres.ts"
import { deferToCommit } from "../sql/Transaction.ts"
import { traced } from "../Traced.ts"
import { record, recordDeletion } from "../Writes.ts"
import { type ChangeStamp, lockStore, makeAllocation, requireFreeSlug } from "./Allocation.ts"
import { type LockedProduct, makeProductRepository, type ProductToDelete } from "./ProductRepository.ts"
import { slugify } from "./Slugify.ts"
import { type Indexer, makeIndexCache } from "./Terms.ts"

/** Encodes a product as it is stored and returned. Fails if it is too large. */
const encodeProduct = Effect.fnUntraced(function* (product: Product) {
  const json = JSON.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES ? yield* new ProductTooLarge() : json
})

/** Records the change of a product and returns its document. */
const recordProduct = Effect.fnUntraced(function* (
  stamp: ChangeStamp,
  product: Product,
  before: Snapshot | null,
  json: string,
  reason: string | null = null
) {
  yield* record(stamp, "product", product, before, { json, fields: product }, reason)
  return { id: product.id, version: product.version, json }
})

/** Makes the parts of product writes that creates, updates, deletes and undo share. */
export const makeProductWrites = (sql: SqlClient.SqlClient, indexFacets: Indexer) => {
  const allocation = makeAllocation(sql)
  const repository = makeProductRepository(sql)

  return {
    /** Inserts a product that is already allocated. */
    insertProduct: Effect.fnUntraced(function* (store: StoreId, stamp: ChangeStamp, product: Product) {
      const json = yield* encodeProduct(product)
      yield* repository.insert(indexFacets, store, product, json)
      return yield* recordProduct(stamp, product, null, json)
    }),

    /** Replaces a locked product by its next state. */
    replaceProduct: Effect.fnUntraced(function* (
      store: StoreId,
      locked: LockedProduct,
      product: Product,
      reason: string | null = null
    ) {
      const { document, product: before } = locked
      const json = yield* encodeProduct(product)
      yield* repository.update(indexFacets, store, before, product, json)
      return yield* recordProduct(locked, product, { json: document, fields: before }, json, reason)
    }),

    /** Deletes a locked product. The store must be locked too. */
    deleteLocked: Effect.fnUntraced(function* (store: StoreId, locked: ProductToDelete) {
      const { document, product } = locked
      yield* deferToCommit(repository.deleteById(store, product.id), allocation.releaseProduct(store))
      yield* recordDeletion(locked, product, { json: document, fields: product })
    })
  }
}

export const makeProducts = (sql: SqlClient.SqlClient, pool: typeof ConnectionPool.Service) => {
  const { clear, indexFacets } = makeIndexCache()
  pool.onLost(clear)
  const { allocateProduct } = makeAllocation(sql)
  const repository = makeProductRepository(sql)
  const { deleteLocked, insertProduct, replaceProduct } = makeProductWrites(sql, indexFacets)

  /** Locks a product and replaces it by its next state. Writes nothing if `nextOf` returns the same object. */
  const changeProduct = Effect.fnUntraced(function* <E>(
    store: StoreId,
    id: ProductId,
    condition: VersionCondition,
    nextOf: (before: Product, at: Date) => Effect.Effect<Product, E>,
    reason: string | null = null
  ): Effect.fn.Return<
    Document<ProductId>,
    E | ProductNotFound | ProductTooLarge | VersionMismatch | SqlError.SqlError | Schema.SchemaError,
    ChangeRecorder
  > {
    const row = yield* repository.lock(store, id)
    if (Option.isNone(row)) return yield* new ProductNotFound({ id })
    const { at, document, product: before } = row.value
    if (!satisfies(before.version, condition)) {
      return yield* new VersionMismatch({ current: before.version })
    }
    const product = yield* nextOf(before, at)
    if (product === before) return { id, version: before.version, json: document }
    return yield* replaceProduct(store, row.value, product, reason)
  })

  return {
    listProducts: (store, request) => traced("Catalog.listProducts")(orDefect(repository.listPage(store, request))),

    summarizeProducts: Effect.fn("Catalog.summarizeProducts")(repository.summarize, orDefect),

    getProduct: (store, id) =>
      traced("Catalog.getProduct")(
        Effect.flatMap(
          orDefect(repository.findById(store, id)),
          Option.match({ onNone: () => new ProductNotFound({ id }), onSome: Effect.succeed })
        )
      ),

    createProduct: Effect.fnUntraced(function* (store, input) {
      const allocated = yield* allocateProduct(store, input.slug, slugify(input.name))
      const { at, currencyCode } = allocated
      // Checks would take 120 µs, because `make` derives its schema anew each time.
      const id = ProductId.make(allocated.id, { disableChecks: true })
      const slug = allocated.slug || `product-${id.slice(-8)}`
      return yield* insertProduct(store, allocated, newProduct(input, { at, currencyCode, id, slug }))
    }, orDefect),

    updateProduct: Effect.fnUntraced(function* (store, id, patch, condition) {
      // Slugs are allocated under the store's lock; a patch without a slug need not wait for it.
      if (patch.slug !== undefined) yield* lockStore(sql, store)
      return yield* changeProduct(
        store,
        id,
        condition,
        Effect.fnUntraced(function* (before, at) {
          const product = patchProduct(before, patch, at)
          if (product.slug !== before.slug) yield* requireFreeSlug(sql, "products", store, product.slug, id)
          return product
        })
      )
    }, orDefect),

    setInventory: Effect.fnUntraced(function* (store, id, change, condition) {
      return yield* changeProduct(
        store,
        id,
        condition,
        (before, at) => Effect.fromResult(withStock(before, change, at)),
        change.reason
      )
    }, orDefect),

    deleteProduct: Effect.fnUntraced(function* (store, id, condition) {
      yield* lockStore(sql, store)
      const row = yield* repository.lockForDeletion(store, id)
      if (Option.isNone(row)) return yield* new ProductNotFound({ id })
      const { version } = row.value.product
      if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
      yield* deleteLocked(store, row.value)
    }, orDefect)
  } satisfies Partial<typeof Catalog.Service>
}
