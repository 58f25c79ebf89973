import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { WorkWeight } from "../domain/Bulkhead.ts"
import {
  Collection,
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  CreateCollection,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts,
  UpdateCollection
} from "../domain/catalog/Collection.ts"
import {
  CreateProduct,
  Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "../domain/catalog/Product.ts"
import { SlugTaken } from "../domain/catalog/Slug.ts"
import { VersionMismatch } from "../domain/Version.ts"
import { agentsWith, CallersOf, Identified } from "./Principal.ts"
import { Deleted, guarded, inStore, keyed, Page, paged, WriteRefused, Written } from "./Shapes.ts"

export const listProducts = Rpc.make("products.list", {
  payload: paged(ProductId),
  success: Page(Product, ProductId)
}).annotate(CallersOf, agentsWith("read_products"))

export const getProduct = Rpc.make("products.get", {
  payload: { ...inStore, id: ProductId },
  success: Product,
  error: ProductNotFound
}).annotate(CallersOf, agentsWith("read_products"))

export const createProduct = Rpc.make("products.create", {
  payload: { ...keyed, product: CreateProduct },
  success: Written(Product),
  error: Schema.Union(WriteRefused, ProductLimitReached, ProductTooLarge, SlugTaken)
}).annotate(CallersOf, agentsWith("write_products"))

/** A merge patch: only what is named changes, null clears. One that changes nothing answers the product as it is. */
export const updateProduct = Rpc.make("products.update", {
  payload: { ...guarded, id: ProductId, patch: UpdateProduct },
  success: Written(Product),
  error: Schema.Union(WriteRefused, ProductNotFound, ProductTooLarge, SlugTaken, VersionMismatch)
}).annotate(CallersOf, agentsWith("write_products"))

/** Takes the product out of the manual collections that hold it, too. */
export const deleteProduct = Rpc.make("products.delete", {
  payload: { ...guarded, id: ProductId },
  success: Written(Deleted(ProductId)),
  error: Schema.Union(WriteRefused, ProductNotFound, VersionMismatch)
}).annotate(CallersOf, agentsWith("write_products"))

/** What a store sells. */
export class ProductRpcs extends RpcGroup.make(
  listProducts,
  getProduct,
  createProduct,
  updateProduct,
  deleteProduct
).middleware(Identified) {}

/** Each with the products that it holds at this moment. */
export const listCollections = Rpc.make("collections.list", {
  payload: paged(CollectionId),
  success: Page(Collection, CollectionId),
  error: RulesTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("read_collections"))

export const getCollection = Rpc.make("collections.get", {
  payload: { ...inStore, id: CollectionId },
  success: Collection,
  error: Schema.Union(CollectionNotFound, RulesTooSlow)
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("read_collections"))

export const createCollection = Rpc.make("collections.create", {
  payload: { ...keyed, collection: CreateCollection },
  success: Written(Collection),
  error: Schema.Union(WriteRefused, CollectionLimitReached, SlugTaken, UnknownProducts, TooManyProductIds, RulesTooSlow)
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("write_collections"))

/** A merge patch, as of a product. */
export const updateCollection = Rpc.make("collections.update", {
  payload: { ...guarded, id: CollectionId, patch: UpdateCollection },
  success: Written(Collection),
  error: Schema.Union(
    WriteRefused,
    CollectionNotFound,
    SlugTaken,
    UnknownProducts,
    TooManyProductIds,
    TooManyMembers,
    RulesTooSlow,
    VersionMismatch
  )
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("write_collections"))

/** Its products stay. */
export const deleteCollection = Rpc.make("collections.delete", {
  payload: { ...guarded, id: CollectionId },
  success: Written(Deleted(CollectionId)),
  error: Schema.Union(WriteRefused, CollectionNotFound, VersionMismatch)
}).annotate(CallersOf, agentsWith("write_collections"))

/** Products of a store, grouped by hand or by rules. */
export class CollectionRpcs extends RpcGroup.make(
  listCollections,
  getCollection,
  createCollection,
  updateCollection,
  deleteCollection
).middleware(Identified) {}
