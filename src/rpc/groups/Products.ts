import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
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
} from "../../domain/catalog/Collection.ts"
import {
  CreateProduct,
  Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { ForAgents } from "../Annotations.ts"
import { agentsWith, CallersOf, Identified } from "../Principal.ts"
import { Deleted, guarded, inStore, Page, paged, dryRunPayload, WriteRefused, Written } from "./CommonSchemas.ts"

export const listProducts = Rpc.make("products.list", {
  payload: paged(ProductId),
  success: Page(Product, ProductId)
})
  .annotate(CallersOf, agentsWith("read_products"))
  .annotate(
    ForAgents,
    "Lists the store's products, the oldest first, a page at a time. Use it to go through all of them, and products.search to find some. Long texts and lists are cut short; products.get has them whole."
  )

export const getProduct = Rpc.make("products.get", {
  payload: { ...inStore, id: ProductId },
  success: Product,
  error: ProductNotFound
})
  .annotate(CallersOf, agentsWith("read_products"))
  .annotate(
    ForAgents,
    "Answers one product with all of its fields. Use it before you change a product: for what it is now, and for the `version` to name as `expectedVersion`."
  )

export const createProduct = Rpc.make("products.create", {
  payload: { ...dryRunPayload, product: CreateProduct },
  success: Written(Product),
  error: Schema.Union([WriteRefused, ProductLimitReached, ProductTooLarge, SlugTaken])
})
  .annotate(CallersOf, agentsWith("write_products"))
  .annotate(
    ForAgents,
    'Makes a product. Only `name` is needed. Amounts of money are in whole units of `currencyCode`, the store\'s when left out: 24.5 is twenty-four and a half. It is offered to shoppers at once unless `isActive` is false. Example: { "idempotencyKey": "…", "product": { "name": "Lantern", "price": 24.5, "stock": 12, "tags": ["outdoor"], "isActive": false } }'
  )

/** A merge patch: only what is named changes, null clears. One that changes nothing answers the product as it is. */
export const updateProduct = Rpc.make("products.update", {
  payload: { ...guarded, id: ProductId, patch: UpdateProduct },
  success: Written(Product),
  error: Schema.Union([WriteRefused, ProductNotFound, ProductTooLarge, SlugTaken, VersionMismatch])
})
  .annotate(CallersOf, agentsWith("write_products"))
  .annotate(
    ForAgents,
    'Changes a product: only what `patch` names; null clears a field that may be null. A list is replaced by the one that is sent, so send all of it; a variant that is left out is removed. What comes and goes of `stock` is better changed by inventory.change, which loses nothing that happens at the same time. Example: { "idempotencyKey": "…", "id": "…", "expectedVersion": 3, "patch": { "price": 19.5, "discountedPrice": null } }'
  )

/** Takes the product out of the manual collections that hold it, too. */
export const deleteProduct = Rpc.make("products.delete", {
  payload: { ...guarded, id: ProductId },
  success: Written(Deleted(ProductId)),
  error: Schema.Union([WriteRefused, ProductNotFound, VersionMismatch])
})
  .annotate(CallersOf, agentsWith("write_products"))
  .annotate(
    ForAgents,
    "Deletes a product, and takes it out of the collections that hold it. To stop offering one, change `isActive` to false instead."
  )

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
  .annotate(
    ForAgents,
    "Lists the store's collections, the oldest first, a page at a time, each with the first of its products and with how many they are. Use it to see how the store is arranged."
  )

export const getCollection = Rpc.make("collections.get", {
  payload: { ...inStore, id: CollectionId },
  success: Collection,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("read_collections"))
  .annotate(
    ForAgents,
    "Answers one collection: its rules if it is automated, the ids of its products at this moment, and how many they are. Use it before you change a collection."
  )

export const createCollection = Rpc.make("collections.create", {
  payload: { ...dryRunPayload, collection: CreateCollection },
  success: Written(Collection),
  error: Schema.Union([
    WriteRefused,
    CollectionLimitReached,
    SlugTaken,
    UnknownProducts,
    TooManyProductIds,
    RulesTooSlow
  ])
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("write_collections"))
  .annotate(
    ForAgents,
    'Makes a collection of products. Manual: name its `productIds`, at most 10,000, in order. Automated: give it `rules`, at most 60, and it holds whatever satisfies all of them, or any of them if `disjunctive` is true, now and later; the resource store://rules tells the fields and relations, and collections.preview what they would match. Example: { "idempotencyKey": "…", "collection": { "title": "Desks of oak", "rules": [{ "field": "tags", "relation": "equals", "value": "oak" }, { "field": "price", "relation": "less_than", "value": 500 }] } }'
  )

/** A merge patch, as of a product. */
export const updateCollection = Rpc.make("collections.update", {
  payload: { ...guarded, id: CollectionId, patch: UpdateCollection },
  success: Written(Collection),
  error: Schema.Union([
    WriteRefused,
    CollectionNotFound,
    SlugTaken,
    UnknownProducts,
    TooManyProductIds,
    TooManyMembers,
    RulesTooSlow,
    VersionMismatch
  ])
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("write_collections"))
  .annotate(
    ForAgents,
    "Changes a collection: only what `patch` names; null clears a field that may be null. `rules` and `productIds` are replaced by those that are sent, so send all of them."
  )

/** Its products stay. */
export const deleteCollection = Rpc.make("collections.delete", {
  payload: { ...guarded, id: CollectionId },
  success: Written(Deleted(CollectionId)),
  error: Schema.Union([WriteRefused, CollectionNotFound, VersionMismatch])
})
  .annotate(CallersOf, agentsWith("write_collections"))
  .annotate(ForAgents, "Deletes a collection. Its products stay.")

/** Products of a store, grouped by hand or by rules. */
export class CollectionRpcs extends RpcGroup.make(
  listCollections,
  getCollection,
  createCollection,
  updateCollection,
  deleteCollection
).middleware(Identified) {}
