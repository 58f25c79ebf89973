import { Effect, Option, Result } from "effect"
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
import type { Document, JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import { satisfies, type VersionCondition, VersionMismatch } from "../../domain/Version.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Snapshot } from "../../domain/Write.ts"
import { deferToCommit, type Part, type Step } from "../sql/Plan.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { traced } from "../Traced.ts"
import { record, recordDeletion } from "../Writes.ts"
import { type Indexer, makeIndexCache } from "./Terms.ts"
import { allocateProduct, claimSlug, lockedStore, type ChangeStamp, releaseProduct } from "./Allocation.ts"
import { slugify } from "./Slugify.ts"
import {
  deleteProduct,
  type Held,
  leaveChanged,
  leaveNew,
  type Leaving,
  lockLeavingProduct,
  lockProduct,
  makeProductPage,
  makeProductRead
} from "./ProductRepository.ts"

/** The product as it is stored and returned, unless it has grown too large. */
const documentOf = Effect.fnUntraced(function* (product: Product): Step<JsonText, ProductTooLarge> {
  const json = stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES ? yield* new ProductTooLarge() : json
})

/** Records that a product was written, and answers it. */
const recordProduct = Effect.fnUntraced(function* (
  moment: ChangeStamp,
  product: Product,
  before: Snapshot | null,
  json: JsonText,
  reason: string | null = null
): Step<Document<ProductId>> {
  yield* record(moment, "product", product, before, { json, fields: product }, reason)
  return { id: product.id, version: product.version, json }
})

/** Adds a product, for which the store has given a place. */
export const addProduct = Effect.fnUntraced(function* (
  indexOf: Indexer,
  store: StoreId,
  moment: ChangeStamp,
  product: Product
): Step<Document<ProductId>, ProductTooLarge> {
  const json = yield* documentOf(product)
  yield* leaveNew(indexOf, store, product, json)
  return yield* recordProduct(moment, product, null, json)
})

/** Puts the next state of a product in the place of the one that is held. */
export const replaceProduct = Effect.fnUntraced(function* (
  indexOf: Indexer,
  store: StoreId,
  held: Held,
  product: Product,
  reason: string | null = null
): Step<Document<ProductId>, ProductTooLarge> {
  const { document, product: before } = held
  const json = yield* documentOf(product)
  yield* leaveChanged(indexOf, store, before, product, json)
  return yield* recordProduct(held, product, { json: document, fields: before }, json, reason)
})

/** Brings a product from the state that it has to the next one, which is the same object where nothing changes. */
const changeProduct = Effect.fnUntraced(function* <E>(
  indexOf: Indexer,
  store: StoreId,
  id: ProductId,
  condition: VersionCondition,
  nextOf: (before: Product, at: Date) => Part<Product, E>,
  reason: string | null = null
): Step<Document<ProductId>, E | ProductNotFound | ProductTooLarge | VersionMismatch> {
  const held = yield* lockProduct(store, id)
  if (Option.isNone(held)) return yield* new ProductNotFound({ id })
  const { document, product: before } = held.value
  if (!satisfies(before.version, condition)) {
    return yield* new VersionMismatch({ current: before.version })
  }
  const product = yield* nextOf(before, held.value.at)
  if (product === before) return { id, version: before.version, json: document }
  return yield* replaceProduct(indexOf, store, held.value, product, reason)
})

/** Deletes a product, under the lock of its store. */
export const removeProduct = Effect.fnUntraced(function* (store: StoreId, leaving: Leaving): Step<void> {
  const { document, product } = leaving
  yield* deferToCommit(deleteProduct(store, product.id), releaseProduct(store))
  yield* recordDeletion(leaving, product, { json: document, fields: product })
})

export const makeProducts = (database: DatabaseOf) => {
  const page = makeProductPage(database)
  const read = makeProductRead(database)
  const { forget, indexOf } = makeIndexCache()
  database.onLost(forget)
  return {
    listProducts: (store, request) => traced("Catalog.listProducts")(page(store, request)),

    getProduct: (store, id) =>
      traced("Catalog.getProduct")(
        Effect.flatMap(
          read(store, id),
          Option.match({ onNone: () => new ProductNotFound({ id }), onSome: Effect.succeed })
        )
      ),

    createProduct: (store, input) =>
      Effect.gen(function* () {
        const given = yield* allocateProduct(store, input.slug, slugify(input.name))
        const { at, currencyCode } = given
        // Made by us: to check it took 120 µs, as `make` derives its schema anew each time.
        const id = ProductId.make(given.id, { disableChecks: true })
        return yield* addProduct(
          indexOf,
          store,
          given,
          newProduct(input, { at, currencyCode, id, slug: given.slug || `product-${id.slice(-8)}` })
        )
      }),

    updateProduct: (store, id, patch, condition) =>
      Effect.gen(function* () {
        // Slugs are given out under the store's lock; a patch without one has no need to wait for it.
        if (patch.slug !== undefined) yield* lockedStore(store)
        return yield* changeProduct(
          indexOf,
          store,
          id,
          condition,
          Effect.fnUntraced(function* (before, at) {
            const product = patchProduct(before, patch, at)
            if (product.slug !== before.slug) yield* claimSlug("products", store, product.slug, id)
            return product
          })
        )
      }),

    setInventory: (store, id, change, condition) =>
      changeProduct(
        indexOf,
        store,
        id,
        condition,
        Effect.fnUntraced(function* (before, at) {
          const next = withStock(before, change, at)
          return Result.isFailure(next) ? yield* Effect.fail(next.failure) : next.success
        }),
        change.reason
      ),

    deleteProduct: (store, id, condition) =>
      Effect.gen(function* () {
        yield* lockedStore(store)
        const held = yield* lockLeavingProduct(store, id)
        if (Option.isNone(held)) return yield* new ProductNotFound({ id })
        const { version } = held.value.product
        if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
        yield* removeProduct(store, held.value)
      })
  } satisfies Partial<typeof Catalog.Service>
}
