import { Context, Effect, Layer } from "effect"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { facetsOf } from "../../domain/catalog/Facets.ts"
import { MAX_PRODUCT_BYTES, type Product, ProductTooLarge } from "../../domain/catalog/Product.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { CatalogChange, Snapshot } from "../../domain/Write.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { record, recordAll } from "../Writes.ts"
import { type LockedProduct, ProductRepository, type ProductToDelete } from "./ProductRepository.ts"
import type { StoredProduct } from "./ProductRows.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { type ChangeStamp, StoreAllocation } from "./StoreAllocation.ts"
import { hasSameTerms } from "./Terms.ts"

/** Next state of a product, and the one before. */
export interface ChangedProduct extends StoredProduct {
  readonly before: Product
}

/** Encodes a product as it is stored and returned. Fails if it is too large. */
const encodeProduct = Effect.fnUntraced(function* (product: Product) {
  const json = ProductDocument.stringify(product)
  return Buffer.byteLength(json) > MAX_PRODUCT_BYTES ? yield* new ProductTooLarge() : json
})

/** Returns the change that deletes a locked product. */
export const deletionOf = ({
  at,
  eventId,
  externalId,
  json,
  memberships,
  product
}: ProductToDelete): CatalogChange => ({
  id: eventId,
  at,
  resource: "product",
  resourceId: product.id,
  version: product.version,
  before: { json, fields: product },
  after: null,
  reason: null,
  memberships,
  externalId
})

/** The parts of product writes that creates, updates, deletes, imports and undo share. */
export class ProductWrites extends Context.Service<ProductWrites>()("layers/catalog/ProductWrites", {
  make: Effect.gen(function* () {
    const allocation = yield* StoreAllocation
    const repository = yield* ProductRepository
    const searchIndex = yield* SearchIndex
    const unitOfWork = yield* UnitOfWork

    /** Adds the statements that store new and changed products with their keys, terms and search words. */
    const addAll = Effect.fnUntraced(function* (
      store: StoreId,
      created: ReadonlyArray<StoredProduct>,
      updated: ReadonlyArray<ChangedProduct>
    ) {
      const index = (stored: StoredProduct, before?: Product) => {
        const facets = facetsOf(stored.product)
        return before !== undefined && hasSameTerms(before, stored.product)
          ? { ...stored, facets, terms: null, unstored: [] }
          : { ...stored, facets, ...searchIndex.termsOf(store, facets) }
      }
      const inserts = created.map((stored) => index(stored))
      const updates = updated.map((stored) => index(stored, stored.before))
      const unstored = [...inserts, ...updates].flatMap((row) => row.unstored)
      yield* unitOfWork.add(
        ...repository.insertStatements(store, inserts),
        ...repository.updateStatements(store, updates),
        ...searchIndex.insertStatements(store, unstored)
      )
      yield* searchIndex.rememberStored(unstored)
    })

    /** Records the change of a product and returns its document. */
    const recordProduct = Effect.fnUntraced(function* (
      stamp: ChangeStamp,
      { json, product }: StoredProduct,
      before: Snapshot | null,
      reason: string | null
    ) {
      yield* record(stamp, "product", product, before, { json, fields: product }, reason)
      return { id: product.id, version: product.version, json }
    })

    return {
      addAll: Effect.fn("ProductWrites.addAll")(addAll),

      /** Inserts a product that is already allocated. */
      insert: Effect.fn("ProductWrites.insert")(function* (store: StoreId, stamp: ChangeStamp, product: Product) {
        const stored = { product, json: yield* encodeProduct(product) }
        yield* addAll(store, [stored], [])
        return yield* recordProduct(stamp, stored, null, null)
      }),

      /** Replaces a locked product by its next state. */
      replace: Effect.fn("ProductWrites.replace")(function* (
        store: StoreId,
        locked: LockedProduct,
        product: Product,
        reason: string | null = null
      ) {
        const stored = { product, json: yield* encodeProduct(product) }
        yield* addAll(store, [], [{ ...stored, before: locked.product }])
        return yield* recordProduct(locked, stored, { json: locked.json, fields: locked.product }, reason)
      }),

      /** Deletes a locked product. The store must be locked too. */
      delete: Effect.fn("ProductWrites.delete")(function* (store: StoreId, locked: ProductToDelete) {
        yield* unitOfWork.add(
          repository.deleteStatement(store, [locked.product.id]),
          allocation.releaseStatement(store)
        )
        yield* recordAll([deletionOf(locked)])
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
