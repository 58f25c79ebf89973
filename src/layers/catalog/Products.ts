import { Effect, Option } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { withStock } from "../../domain/catalog/Inventory.ts"
import {
  newProduct,
  patchProduct,
  type Product,
  ProductId,
  ProductNotFound,
  type ProductTooLarge
} from "../../domain/catalog/Product.ts"
import type { Document } from "../../domain/json/Document.ts"
import { satisfies, type VersionCondition, VersionMismatch } from "../../domain/Version.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { ChangeRecorder } from "../../domain/Write.ts"
import { ProductRepository } from "./ProductRepository.ts"
import { ProductWrites } from "./ProductWrites.ts"
import { slugify } from "./Slugify.ts"
import { StoreAllocation } from "./StoreAllocation.ts"

/** Operations of {@link Catalog} on products. */
export const productOperations = Effect.gen(function* () {
  const { allocateProduct, lockStore, requireFreeSlug } = yield* StoreAllocation
  const repository = yield* ProductRepository
  const writes = yield* ProductWrites

  /** Locks a product and replaces it by its next state. Writes nothing if `nextOf` returns the same object. */
  const changeProduct = Effect.fnUntraced(function* <E>(
    store: StoreId,
    id: ProductId,
    condition: VersionCondition,
    nextOf: (before: Product, at: Date) => Effect.Effect<Product, E>,
    reason: string | null = null
  ): Effect.fn.Return<Document<ProductId>, E | ProductNotFound | ProductTooLarge | VersionMismatch, ChangeRecorder> {
    const row = yield* repository.lock(store, id)
    if (Option.isNone(row)) return yield* new ProductNotFound({ id })
    const { at, json, product: before } = row.value
    if (!satisfies(before.version, condition)) {
      return yield* new VersionMismatch({ current: before.version })
    }
    const product = yield* nextOf(before, at)
    if (product === before) return { id, version: before.version, json }
    return yield* writes.replace(store, row.value, product, reason)
  })

  return {
    listProducts: Effect.fn("Catalog.listProducts")(repository.listPage),

    summarizeProducts: Effect.fn("Catalog.summarizeProducts")(repository.summarize),

    getProduct: Effect.fn("Catalog.getProduct")(function* (store, id) {
      const product = yield* repository.findById(store, id)
      return Option.isSome(product) ? product.value : yield* new ProductNotFound({ id })
    }),

    createProduct: Effect.fn("Catalog.createProduct")(function* (store, input) {
      const isRequested = input.slug !== undefined
      const allocated = yield* allocateProduct(store, { slug: input.slug ?? slugify(input.name), isRequested })
      const { at, currencyCode } = allocated
      // Checks would take 120 µs, because `make` derives its schema anew each time.
      const id = ProductId.make(allocated.id, { disableChecks: true })
      const slug = allocated.slug || `product-${id.slice(-8)}`
      return yield* writes.insert(store, allocated, newProduct(input, { at, currencyCode, id, slug }))
    }),

    updateProduct: Effect.fn("Catalog.updateProduct")(function* (store, id, patch, condition) {
      // Slugs are allocated under the store's lock; a patch without a slug need not wait for it.
      if (patch.slug !== undefined) yield* lockStore(store)
      return yield* changeProduct(
        store,
        id,
        condition,
        Effect.fnUntraced(function* (before, at) {
          const product = patchProduct(before, patch, at)
          if (product.slug !== before.slug) yield* requireFreeSlug("products", store, product.slug, id)
          return product
        })
      )
    }),

    setInventory: Effect.fn("Catalog.setInventory")(function* (store, id, change, condition) {
      return yield* changeProduct(
        store,
        id,
        condition,
        (before, at) => Effect.fromResult(withStock(before, change, at)),
        change.reason
      )
    }),

    deleteProduct: Effect.fn("Catalog.deleteProduct")(function* (store, id, condition) {
      yield* lockStore(store)
      const row = yield* repository.lockForDeletion(store, id)
      if (Option.isNone(row)) return yield* new ProductNotFound({ id })
      const { version } = row.value.product
      if (!satisfies(version, condition)) return yield* new VersionMismatch({ current: version })
      yield* writes.delete(store, row.value)
    })
  } satisfies Partial<typeof Catalog.Service>
})
