import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { listOf } from "../../domain/Bounded.ts"
import { field, optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
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
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
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
  integerBetween,
  WriteError,
  WriteResult
} from "./CommonSchemas.ts"

export const listProducts = Rpc.make("products.list", {
  payload: pageFields(ProductId),
  success: Page(Product, ProductId)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    "Lists the store's products, the oldest first, a page at a time. Use it to go through all of them, and products.search to find some. Long texts and lists are cut short; products.get has them whole."
  )

export const getProduct = Rpc.make("products.get", {
  payload: { ...storeFields, id: ProductId },
  success: Product,
  error: ProductNotFound
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    "Answers one product with all of its fields. Use it before you change a product: for what it is now, and for the `version` to name as `expectedVersion`."
  )

export const createProduct = Rpc.make("products.create", {
  payload: { ...dryRunFields, product: CreateProduct },
  success: WriteResult(Product),
  error: Schema.Union([WriteError, ProductLimitReached, ProductTooLarge, SlugTaken])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    'Makes a product. Only `name` is needed. Amounts of money are in whole units of `currencyCode`, the store\'s when left out: 24.5 is twenty-four and a half. It is offered to shoppers at once unless `isActive` is false. Example: { "idempotencyKey": "…", "product": { "name": "Lantern", "price": 24.5, "stock": 12, "tags": ["outdoor"], "isActive": false } }'
  )

/** A merge patch: only what is named changes, null clears. One that changes nothing answers the product as it is. */
export const updateProduct = Rpc.make("products.update", {
  payload: { ...versionedFields, id: ProductId, patch: UpdateProduct },
  success: WriteResult(Product),
  error: Schema.Union([WriteError, ProductNotFound, ProductTooLarge, SlugTaken, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    'Changes a product: only what `patch` names; null clears a field that may be null. A list is replaced by the one that is sent, so send all of it; a variant that is left out is removed. What comes and goes of `stock` is better changed by inventory.change, which loses nothing that happens at the same time. Example: { "idempotencyKey": "…", "id": "…", "expectedVersion": 3, "patch": { "price": 19.5, "discountedPrice": null } }'
  )

/** Takes the product out of the manual collections that hold it, too. */
export const deleteProduct = Rpc.make("products.delete", {
  payload: { ...versionedFields, id: ProductId },
  success: WriteResult(Deleted(ProductId)),
  error: Schema.Union([WriteError, ProductNotFound, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_products"))
  .annotate(
    ToolDescription,
    "Deletes a product, and takes it out of the collections that hold it. To stop offering one, change `isActive` to false instead."
  )

/** The best first, as `found` says of each. */
export const searchProducts = Rpc.make("products.search", {
  payload: {
    ...storeFields,
    query: field(
      Query,
      "What is looked for: words, or a SKU or barcode, in any case and without accents. Each word must begin a word of the name, vendor, category or tags, where one letter may be wrong; or all of it begins a SKU or barcode. The first 8 words count",
      "oak des"
    ),
    cursor: pageFields(SearchCursor).cursor,
    limit: optional(
      integerBetween(1, MAX_SEARCH_LIMIT, `Products of a page at most: ${DEFAULT_SEARCH_LIMIT} when absent`)
    )
  },
  success: Page(SearchResult, SearchCursor)
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_products"))
  .annotate(
    ToolDescription,
    'Finds products by text, in a small form: use it whenever a product is meant by its name, SKU or barcode, to learn its id, and products.get to see all of one. Each word of `query` must begin a word of the product\'s name, vendor, category or tags, or its SKU or barcode; one typing error in a word of four letters or more is forgiven, and such products come last (`found` is `similar`). Fewer words find more. Example: query "oak des" finds the Oak desk.'
  )

/** In order of their ids; what the store has not, or no longer, is left out. For lists that hold ids alone, as a collection does. */
export const summarizeProducts = Rpc.make("products.summaries", {
  payload: {
    ...storeFields,
    ids: listOf(ProductId, MAX_LIMIT).annotate({ description: `Ids of products, at most ${MAX_LIMIT}` })
  },
  success: Schema.Struct({ items: Schema.Array(ProductSummary) })
})

/** What a store sells. */
export class ProductRpcs extends RpcGroup.make(
  listProducts,
  getProduct,
  createProduct,
  updateProduct,
  deleteProduct,
  searchProducts,
  summarizeProducts
).middleware(Authentication) {}

/** Sets the stock of a product or a variant, or changes it by a number: of changes at once none is lost. */
export const changeInventory = Rpc.make("inventory.change", {
  payload: {
    ...versionedFields,
    id: withDescription(ProductId, "The product"),
    // Annotations of a schema with a check are those of the check.
    change: Schema.Struct(SetInventory.fields)
      .annotate({
        description: "Exactly one of `stock` and `adjust`, and what goes with it",
        examples: [{ adjust: -2, reason: "Two were broken" }]
      })
      .check(stockOrAdjust)
  },
  success: WriteResult(Product),
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
    "Changes how many of a product, or of one of its variants, are at hand. Use `adjust` for what came or went (-2 when two were broken): it is right whatever else happens at the same time. Use `stock` only for a count, best with `expectedStock`. The stock cannot fall below 0. The stock of a product and those of its variants are numbers apart: name the `variantId` where a product has variants. Answers the whole product."
  )

/** How many of what a store sells are at hand. */
export class InventoryRpcs extends RpcGroup.make(changeInventory).middleware(Authentication) {}
