import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { boundedArray } from "../../domain/json/Bounded.ts"
import { field, optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
  InventoryLevels,
  SetInventory,
  StockMismatch,
  stockOrAdjust,
  StockOutOfRange,
  VariantNotFound
} from "../../domain/catalog/Inventory.ts"
import {
  CreateProduct,
  Product,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "../../domain/catalog/Product.ts"
import { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import {
  DEFAULT_SEARCH_LIMIT,
  MAX_SEARCH_LIMIT,
  Query,
  SearchCursor,
  SearchResult
} from "../../domain/catalog/Search.ts"
import { ProductQuery } from "../../domain/catalog/Queries.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { QueryCursor, QueryTooSlow } from "../../domain/Query.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { membersAndAgentsWith, AccessPolicy, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import {
  Deleted,
  dryRunFields,
  versionedFields,
  storeFields,
  Page,
  pageFields,
  QueryPage,
  catalogPageFields,
  integerBetween,
  WriteError,
  WriteResult
} from "./CommonSchemas.ts"

/** Lists products in ascending order of id. Members, and agents with `read_products`. */
export const listProducts = Rpc.make("products.list", {
  payload: catalogPageFields(ProductId),
  success: Page(Product, ProductId)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    'Lists the products of the store in pages, oldest first. Use it to go through all products; to find products by name, SKU or barcode, use products.search; by price, stock or other conditions, or sorted, use products.query. Long texts and lists are cut; products.get returns them in full. Pass `nextCursor` as `cursor` for the next page. Example: { "limit": 50 }'
  )

/** Reads one product. Members, and agents with `read_products`. */
export const getProduct = Rpc.make("products.get", {
  payload: { ...storeFields, id: ProductId },
  success: Product,
  error: ProductNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    "Reads one product with all its fields, by id. Use it before products.update: read the current values, and send its `version` as `expectedVersion`."
  )

/** Creates a product. Members, and agents with `write_products`. */
export const createProduct = Rpc.make("products.create", {
  payload: { ...dryRunFields, product: CreateProduct },
  success: WriteResult(Product),
  error: Schema.Union([WriteError, ProductLimitReached, ProductTooLarge, SlugTaken])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    'Creates a product. Only `name` is required. Prices are decimal amounts in `currencyCode`, which defaults to the currency of the store: 24.5 means 24.50, not cents. Weights are in the weight unit of the store. Shoppers see the product at once unless `isActive` is false. Fails with ProductLimitReached if the plan allows no more products. Example: { "idempotencyKey": "<new UUID>", "product": { "name": "Lantern", "price": 24.5, "stock": 12, "tags": ["outdoor"], "isActive": false } }'
  )

/**
 * Changes a product with a merge patch: omitted fields stay, null clears. A patch without a change returns the product and
 * writes nothing. Members, and agents with `write_products`.
 */
export const updateProduct = Rpc.make("products.update", {
  payload: { ...versionedFields, id: ProductId, patch: UpdateProduct },
  success: WriteResult(Product),
  error: Schema.Union([WriteError, ProductNotFound, ProductTooLarge, SlugTaken, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    'Changes fields of a product. Fields that `patch` omits stay as they are; null clears an optional field. A list replaces the stored list: send all its items, because an omitted variant is deleted. To add or remove stock, use inventory.change, which is safe with concurrent changes. Send `expectedVersion` to fail with VersionMismatch if the product has changed since you read it. Example: { "idempotencyKey": "<new UUID>", "id": "<product id>", "expectedVersion": 3, "patch": { "price": 19.5, "discountedPrice": null } }'
  )

/** Deletes a product and removes it from manual collections. Members, and agents with `write_products`. */
export const deleteProduct = Rpc.make("products.delete", {
  payload: { ...versionedFields, id: ProductId },
  success: WriteResult(Deleted(ProductId)),
  error: Schema.Union([WriteError, ProductNotFound, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    "Deletes a product and removes it from its collections. To only hide a product from shoppers, set `isActive` to false with products.update. activity.undo restores a deleted product."
  )

/** Searches products by text, best match first. Members, and agents with `read_products`. */
export const searchProducts = Rpc.make("products.search", {
  payload: {
    ...storeFields,
    query: field(
      Query,
      "Words, or the start of a SKU or barcode. Ignores case and accents. Each word must be the start of a word in name, vendor, category or tags; one typing error is tolerated. Only the first 8 words count",
      "oak des"
    ),
    cursor: pageFields(SearchCursor).cursor,
    limit: optional(integerBetween(1, MAX_SEARCH_LIMIT, `Maximum number of products. Default: ${DEFAULT_SEARCH_LIMIT}`))
  },
  success: Page(SearchResult, SearchCursor)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    'Searches products by text and returns a short form of each, best match first. Use it to find the id of a product from its name, SKU or barcode, then products.get for all fields; for conditions, sort orders or counts, use products.query. Each word of `query` must be the start of a word in name, vendor, category or tags, or the start of a SKU or barcode. One typing error in a word of four or more letters is tolerated; such products come last with `found` "similar". If nothing matches, use fewer words. Example: { "query": "oak des" } finds "Oak desk".'
  )

/** Lists products by rules, search and sort order. Members, and agents with `read_products`. */
export const queryProducts = Rpc.make("products.query", {
  payload: { ...pageFields(QueryCursor), ...ProductQuery.fields },
  success: QueryPage(Product),
  error: QueryTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    'Lists the products that match rules, sorted by name, price, stock or time, with their number (`total`). Use it for questions with a condition, an order or a count, such as "the 10 cheapest oak products" or "how many products are out of stock"; to find one product by its name or SKU, use products.search; to go through all products, use products.list. `rules` are those of automated collections: the resource store://rules lists fields and relations. Long texts and lists are cut. Use a small `limit`. Pass `nextCursor` as `cursor` with the same rules, search and sort for the next page. Example: { "rules": [{ "field": "tags", "relation": "equals", "value": "oak" }, { "field": "stock", "relation": "less_than", "value": 5 }], "sort": "stock", "limit": 10 }'
  )

/** Reads short forms of products by id, in order of id. Omits unknown ids. For lists of ids, as in collections. Members only. */
export const summarizeProducts = Rpc.make("products.summaries", {
  payload: {
    ...storeFields,
    ids: boundedArray(ProductId, MAX_LIMIT).annotate({ description: `Ids of at most ${MAX_LIMIT} products` })
  },
  success: Schema.Struct({ items: Schema.Array(ProductSummary) })
})

/** Products of a store. */
export class ProductRpcs extends RpcGroup.make(
  listProducts,
  getProduct,
  createProduct,
  updateProduct,
  deleteProduct,
  searchProducts,
  queryProducts,
  summarizeProducts
).middleware(Authentication) {}

/** Sets or adjusts the stock of a product or variant. Concurrent adjustments add up. Members, and agents with `write_inventory`. */
export const changeInventory = Rpc.make("inventory.change", {
  payload: {
    ...versionedFields,
    id: withDescription(ProductId, "Id of the product"),
    // Annotated before the check: annotations after it would belong to the check.
    change: Schema.Struct(SetInventory.fields)
      .annotate({
        description: "Exactly one of `stock` and `adjust`, with its options",
        examples: [{ adjust: -2, reason: "Two units were damaged" }]
      })
      .check(stockOrAdjust)
  },
  success: WriteResult(Schema.Union([Product, InventoryLevels])),
  error: Schema.Union([
    WriteError,
    ProductNotFound,
    VariantNotFound,
    StockMismatch,
    StockOutOfRange,
    ProductTooLarge,
    VersionMismatch
  ])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_inventory"))
  .annotate(
    ToolDescription,
    'Changes the stock of a product or of one of its variants, in units. Use `adjust` for units that arrived or left, such as -2; it is safe with concurrent changes. Use `stock` only to store the result of a count, with `expectedStock` if you read the stock before. Stock cannot fall below 0. A product and its variants have separate stock: send `variantId` if the product has variants. Returns the product, or its stock only if you may not read products. Example: { "idempotencyKey": "<new UUID>", "id": "<product id>", "change": { "adjust": -2, "reason": "Two units were damaged" } }'
  )

/** Stock of products and variants. */
export class InventoryRpcs extends RpcGroup.make(changeInventory).middleware(Authentication) {}
