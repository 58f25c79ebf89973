import { Effect, HashMap, Option, Result } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { withStock } from "../../domain/catalog/Inventory.ts"
import { patchProduct, type Product, type ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import {
  decideChange,
  type Decided,
  decideCreation,
  decideDeletion,
  NO_SLUGS,
  type ProductState
} from "../../domain/catalog/ProductState.ts"
import type { Document } from "../../domain/json/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { traced } from "../telemetry/Traced.ts"
import { ProductRepository } from "./ProductRepository.ts"
import { ProductWrites } from "./ProductWrites.ts"
import { slugRequestOf } from "./Slugify.ts"
import { StoreAllocation } from "./StoreAllocation.ts"

/** Operations of {@link Catalog} on products. */
export const productOperations = Effect.gen(function* () {
  const { allocateProducts } = yield* StoreAllocation
  const repository = yield* ProductRepository
  const { lock, lockToDelete, store: storeChanges } = yield* ProductWrites

  /** Stores the change of a decision, and returns the product. */
  const storeDecided = <State extends ProductState, E>(
    store: StoreId,
    result: Result.Result<Decided<State>, E>,
    counted = 0
  ): Write<Document<ProductId>, E> =>
    Effect.gen(function* () {
      const { change, product } = yield* Effect.fromResult(result)
      if (change !== null) yield* storeChanges(store, [change], counted)
      const { id, version } = product.product
      return { id, version, json: product.json }
    })

  /** Locks a product whose slug stays. */
  const lockProduct = Effect.fnUntraced(function* (store: StoreId, id: ProductId) {
    const row = yield* repository.lock(store, id)
    if (Option.isNone(row)) return yield* new ProductNotFound({ id })
    const { clock, stored } = row.value
    return { clock, products: HashMap.make([id, stored]), slugs: NO_SLUGS }
  })

  return {
    listProducts: traced("Catalog.listProducts")(repository.listPage),

    summarizeProducts: traced("Catalog.summarizeProducts")(repository.summarize),

    getProduct: traced("Catalog.getProduct")(function* (store, id) {
      const product = yield* repository.findById(store, id)
      return Option.isSome(product) ? product.value : yield* new ProductNotFound({ id })
    }),

    createProduct: traced("Catalog.createProduct")(function* (store, input) {
      const request = slugRequestOf(input)
      const slugs = request.slug === "" ? [] : [request.slug]
      const state = yield* allocateProducts(store, { instants: 1, slugs, created: 1 })
      return yield* storeDecided(store, decideCreation(state, input, request), 1)
    }),

    updateProduct: traced("Catalog.updateProduct")(function* (store, id, patch, condition) {
      // Slugs are allocated under the store's lock; a patch without a slug need not wait for it.
      const state: ProductState =
        patch.slug === undefined ? yield* lockProduct(store, id) : yield* lock(store, id, [patch.slug])
      const nextOf = (before: Product, at: Date) => Result.succeed(patchProduct(before, patch, at))
      return yield* storeDecided(store, decideChange(state, id, condition, nextOf))
    }),

    setInventory: traced("Catalog.setInventory")(
      function* (store, id, change, condition) {
        const state = yield* lockProduct(store, id)
        const nextOf = (before: Product, at: Date) => withStock(before, change, at)
        return yield* storeDecided(store, decideChange(state, id, condition, nextOf, { reason: change.reason ?? null }))
      },
      // A change of stock keeps the slug.
      Effect.catchTag("SlugTaken", Effect.die)
    ),

    deleteProduct: traced("Catalog.deleteProduct")(function* (store, id, condition) {
      yield* storeDecided(store, decideDeletion(yield* lockToDelete(store, id), id, condition))
    })
  } satisfies Partial<typeof Catalog.Service>
})
