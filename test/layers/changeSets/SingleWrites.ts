import { assert } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Actor, IMPORTER } from "../../../src/domain/Actor.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { Collection, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { CreateProduct, Product, type ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { EntryId } from "../../../src/domain/journal/Activity.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Undo } from "../../../src/domain/journal/Undo.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Write, Writes } from "../../../src/domain/Write.ts"
import { observeChanges } from "../../../src/layers/Writes.ts"
import { PRODUCTS, type RandomOperation, SKUS } from "../../data/RandomOperations.ts"

/* Random operations as single writes, for Model.test.ts. */

export const context = (storeId: StoreId) =>
  ({ storeId, actor: Actor.Merchant({ id: IMPORTER }), surface: "cli", cause: null, mode: "perform" }) as const

export const decode = {
  product: Schema.decodeUnknownSync(CreateProduct),
  patch: Schema.decodeUnknownSync(UpdateProduct),
  change: Schema.decodeUnknownSync(SetInventory),
  collection: Schema.decodeUnknownSync(CreateCollection),
  collectionPatch: Schema.decodeUnknownSync(UpdateCollection),
  products: Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Product))),
  collections: Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Collection)))
}

/** Makes a store with products, a manual and an automated collection. */
export const makeStore = Effect.gen(function* () {
  const stores = yield* Stores
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
  const ids: Array<ProductId> = []
  for (let n = 0; n < PRODUCTS; n++) {
    const input = decode.product({ name: `Product ${n}`, sku: SKUS[n % 3], stock: 2, price: n })
    ids.push((yield* perform(context(storeId), catalog.createProduct(storeId, input))).id)
  }
  const collection = yield* perform(
    context(storeId),
    catalog.createCollection(storeId, decode.collection({ title: "Manual", productIds: ids }))
  )
  yield* perform(
    context(storeId),
    catalog.createCollection(
      storeId,
      decode.collection({ title: "Cheap", rules: [{ field: "price", relation: "less_than", value: 10 }] })
    )
  )
  return { storeId, ids, collection: collection.id }
})
export type MadeStore = Effect.Success<typeof makeStore>

export const readStore = Effect.fn(function* ({ storeId }: MadeStore) {
  const catalog = yield* Catalog
  const page = { cursor: undefined, limit: 200 }
  return {
    products: decode.products((yield* catalog.listProducts(storeId, page)).items),
    collections: decode.collections((yield* catalog.listCollections(storeId, page)).items)
  }
})

const toEntryId = Schema.decodeSync(EntryId)

export const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** Result of a single write. An undo needs its entry. */
export interface SingleResult {
  readonly outcome: string
  readonly error: string | null
  readonly entryId: EntryId | null
}

/** Performs a write. Returns its outcome, the reason of a refusal, and its entry. */
const performWrite = Effect.fn(function* (store: MadeStore, write: Write<unknown, { readonly message: string }>) {
  const { perform } = yield* Writes
  const entries: Array<EntryId> = []
  const before = yield* readStore(store)
  const observed = observeChanges(write, (changes) => entries.push(...changes.map(({ id }) => toEntryId(id))))
  const result = yield* Effect.result(perform(context(store.storeId), observed))
  if (Result.isFailure(result)) {
    const refused: SingleResult = {
      outcome: "refused",
      error: result.failure.message.replace(UUID, "id"),
      entryId: null
    }
    return refused
  }
  const after = yield* readStore(store)
  const size = (state: typeof after) => state.products.length + state.collections.length
  const isSame = JSON.stringify(after) === JSON.stringify(before)
  const outcome =
    size(after) > size(before) ? "created" : size(after) < size(before) ? "deleted" : isSame ? "unchanged" : "updated"
  const performed: SingleResult = { outcome, error: null, entryId: entries[0] ?? null }
  return performed
})

/** Performs an operation as a single write. */
export const performSingly = Effect.fn(function* (store: MadeStore, random: RandomOperation) {
  const catalog = yield* Catalog
  const { collection, ids, storeId } = store
  const before = yield* readStore(store)
  const condition = "version" in random && random.version !== null ? [random.version] : ("any" as const)
  const owners: ReadonlyArray<{ readonly id: ProductId; readonly variantId: string | undefined }> =
    "sku" in random
      ? before.products.flatMap((one) => {
          const variants = one.variants.filter((variant) => variant.sku === random.sku)
          const own = one.sku === random.sku && variants.length === 0 ? [undefined] : []
          return [...variants.map(({ id }) => id), ...own].map((variantId) => ({ id: one.id, variantId }))
        })
      : "target" in random
        ? [{ id: ids[random.target] ?? assert.fail("No such product"), variantId: undefined }]
        : []
  const [owner] = owners
  const isUnique =
    random.op === "inventory.change" ? owners.length === 1 : new Set(owners.map(({ id }) => id)).size === 1
  const isNamed = "sku" in random || "target" in random
  if (isNamed && (owner === undefined || !isUnique)) {
    const refused: SingleResult = { outcome: "refused", error: "SKU", entryId: null }
    return refused
  }
  const target = owner ?? { id: ids[0] ?? assert.fail("No product"), variantId: undefined }
  const current = before.collections.find(({ id }) => id === collection)
  const write = (): Write<unknown, { readonly message: string }> => {
    switch (random.op) {
      case "product.create":
        return catalog.createProduct(storeId, decode.product(random.product))
      case "product.update":
        return catalog.updateProduct(storeId, target.id, decode.patch(random.patch), condition)
      case "inventory.change": {
        const { variantId } = target
        const input = { ...random.change, ...(variantId === undefined ? {} : { variantId }) }
        return catalog.setInventory(storeId, target.id, decode.change(input), "any")
      }
      case "product.delete":
        return catalog.deleteProduct(storeId, target.id, condition)
      case "collection.create":
        return catalog.createCollection(storeId, decode.collection(random.collection))
      case "collection.update":
        return catalog.updateCollection(storeId, collection, decode.collectionPatch(random.patch), "any")
      case "collection.members": {
        const removed = new Set(random.remove.map((n) => ids[n]))
        const kept = (current?.productIds ?? []).filter((id) => !removed.has(id))
        const productIds = [...kept, ...random.add.flatMap((n) => ids[n] ?? [])]
        return catalog.updateCollection(storeId, collection, { productIds }, "any")
      }
      case "collection.delete":
        return catalog.deleteCollection(storeId, collection, "any")
    }
  }
  return yield* performWrite(store, write())
})

/** Undoes the changes of single writes, newest first. */
export const undoSingly = Effect.fn(function* (store: MadeStore, results: ReadonlyArray<SingleResult>) {
  const { undo } = yield* Undo
  const entries = results.flatMap(({ entryId }) => entryId ?? []).toReversed()
  return yield* Effect.forEach(entries, (id) =>
    performWrite(store, undo(store.storeId, id, { kinds: CatalogKind.literals, ownId: null }))
  )
})

/** Changes the prices of the first and the last product, which others may have done since a set. */
export const changePrices = Effect.fn(function* (store: MadeStore) {
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const { products } = yield* readStore(store)
  for (const { id } of [products[0], products.at(-1)].flatMap((product) => product ?? [])) {
    yield* perform(
      context(store.storeId),
      catalog.updateProduct(store.storeId, id, decode.patch({ price: 7, name: "Theirs" }), "any")
    )
  }
})
