import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
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
import { optional, withDescription } from "../../domain/catalog/Fields.ts"
import { IdRange, MAX_IDS } from "../../domain/catalog/ListFilter.ts"
import {
  InventoryLevels,
  SetInventory,
  StockMismatch,
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
import { CollectionQuery, ProductQuery } from "../../domain/catalog/Queries.ts"
import { Rules } from "../../domain/catalog/Rule.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { PAGE_MILLIS } from "../../domain/Page.ts"
import { Instant } from "../../domain/Time.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { publicError } from "../ErrorTable.ts"
import { KeyRequired, requireAccess } from "./Middleware.ts"
import {
  booleanQuery,
  commaSeparated,
  DataResponse,
  ChangeErrors,
  DeleteResponses,
  jsonQuery,
  Page,
  pageQuery,
  SearchErrors,
  SearchPage,
  searchQuery,
  WriteErrors,
  WriteResponses
} from "./Shapes.ts"

const product = { id: withDescription(ProductId, "The id of the product") }
const collection = { id: withDescription(CollectionId, "The id of the collection") }

/** Query of a list that can be filtered. */
const catalogQuery = <A extends string>(id: Schema.Codec<A, string>) => ({
  ...pageQuery(id),
  ids: optional(
    commaSeparated(
      id,
      MAX_IDS,
      `must be at most ${MAX_IDS} ids with commas between them`,
      `Returns only rows with these ids: at most ${MAX_IDS}, with commas between them. Unknown ids are left out`
    )
  ),
  range: optional(
    withDescription(
      IdRange,
      "Returns only rows whose ids end with these two hexadecimal digits, as the ranges of a digest do"
    )
  ),
  updatedSince: optional(
    withDescription(
      Instant,
      "Returns only rows whose `updatedAt` is this time or later: RFC 3339 with any offset (encode `+` as `%2B`). After more than 5,000 changes, pages can have few rows, or none, and still a `nextCursor`. It misses deletions: `GET /changes` lists them"
    )
  )
})

const READ_PRODUCTS = requireAccess(AnyScope.make({ scopes: ["read_products"] }))
const WRITE_PRODUCTS = requireAccess(AnyScope.make({ scopes: ["write_products"] }))
const READ_COLLECTIONS = requireAccess(AnyScope.make({ scopes: ["read_collections"] }))
const WRITE_COLLECTIONS = requireAccess(AnyScope.make({ scopes: ["write_collections"] }))

export const listProducts = HttpApiEndpoint.get("listProducts", "/products", {
  query: catalogQuery(ProductId),
  success: Page({ products: Schema.Array(Product) }, ProductId)
})
  .annotateMerge(READ_PRODUCTS)
  .annotate(OpenApi.Summary, "List products")
  .annotate(
    OpenApi.Description,
    "Returns every product, in ascending order of id. Ids ascend in commit order, so a client that follows the cursor misses none."
  )

export const searchProducts = HttpApiEndpoint.get("searchProducts", "/products/search", {
  query: {
    ...searchQuery,
    ...ProductQuery.fields,
    rules: optional(
      jsonQuery(
        Rules,
        "Rules that the products satisfy, as JSON text: the `rules` of an automated collection. Without rules, all products match",
        '[{"field":"tags","relation":"equals","value":"oak"}]'
      )
    ),
    disjunctive: optional(booleanQuery("false: products must satisfy every rule. true: any one rule"))
  },
  success: SearchPage({ products: Schema.Array(Product) }),
  error: SearchErrors
})
  .annotateMerge(READ_PRODUCTS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Search products")
  .annotate(
    OpenApi.Description,
    "Returns the products that match rules and a search, in a sort order. Following the cursor neither skips nor repeats a product whose sort value stays the same. Rules: `docs/spec/queries.md`."
  )

export const createProduct = HttpApiEndpoint.post("createProduct", "/products", {
  disableCodecs: true,
  payload: CreateProduct,
  success: WriteResponses(Product, "The new product", 201),
  error: [...ChangeErrors, publicError(ProductLimitReached), publicError(SlugTaken), publicError(ProductTooLarge)]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_PRODUCTS)
  .annotate(OpenApi.Summary, "Create a product")
  .annotate(OpenApi.Description, "Only `name` is required. Emits `catalog.product.updated.v1`.")

export const setInventory = HttpApiEndpoint.patch("setInventory", "/products/:id/inventory", {
  disableCodecs: true,
  params: product,
  payload: SetInventory,
  success: WriteResponses(
    Schema.Union([Product, InventoryLevels]),
    "The updated product; its stock only, without `read_products` and `write_products`"
  ),
  error: [
    ...ChangeErrors,
    publicError(ProductNotFound),
    publicError(VersionMismatch),
    publicError(StockMismatch),
    publicError(StockOutOfRange),
    publicError(VariantNotFound),
    publicError(ProductTooLarge)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(requireAccess(AnyScope.make({ scopes: ["write_inventory", "write_products"] })))
  .annotate(OpenApi.Summary, "Set the stock of a product")
  .annotate(
    OpenApi.Description,
    "Changes the stock of the product, or of the variant `variantId`. `stock` sets it, `adjust` changes it by a number; send exactly one of them. A variant without stock starts at 0. Concurrent adjustments are all applied; one that would result in less than 0 is refused. An app without `read_products` and `write_products` receives the stock only. Emits `catalog.product.updated.v1` unless the stock is unchanged. Rules: `docs/spec/inventory.md`."
  )

export const updateProduct = HttpApiEndpoint.patch("updateProduct", "/products/:id", {
  disableCodecs: true,
  params: product,
  payload: UpdateProduct,
  success: WriteResponses(Product, "The updated product"),
  error: [
    ...ChangeErrors,
    publicError(ProductNotFound),
    publicError(VersionMismatch),
    publicError(SlugTaken),
    publicError(ProductTooLarge)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_PRODUCTS)
  .annotate(OpenApi.Summary, "Update a product")
  .annotate(
    OpenApi.Description,
    "JSON Merge Patch at the top level: only the fields in the body change, and null clears a field. Emits `catalog.product.updated.v1`, unless nothing changes."
  )

export const deleteProduct = HttpApiEndpoint.delete("deleteProduct", "/products/:id", {
  params: product,
  success: DeleteResponses(ProductId),
  error: [...WriteErrors, publicError(ProductNotFound), publicError(VersionMismatch)]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_PRODUCTS)
  .annotate(OpenApi.Summary, "Delete a product")
  .annotate(
    OpenApi.Description,
    "Deletes the product immediately and permanently, and removes it from manual collections. Emits no event."
  )

/** The products of the store of the token. The contract has no endpoint for a single product. */
export class ProductsGroup extends HttpApiGroup.make("Products")
  .add(listProducts, searchProducts, createProduct, setInventory, updateProduct, deleteProduct)
  .annotate(OpenApi.Description, "The products of a store. Rules: `docs/spec/products.md`") {}

export const listCollections = HttpApiEndpoint.get("listCollections", "/collections", {
  query: catalogQuery(CollectionId),
  success: Page({ collections: Schema.Array(Collection) }, CollectionId),
  error: publicError(RulesTooSlow)
})
  .annotateMerge(READ_COLLECTIONS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "List collections")
  .annotate(
    OpenApi.Description,
    `Returns every collection with its current products, in ascending order of id. A page also ends early, after at least one collection, when finding the products takes more than ${PAGE_MILLIS} ms.`
  )

export const searchCollections = HttpApiEndpoint.get("searchCollections", "/collections/search", {
  query: { ...searchQuery, ...CollectionQuery.fields },
  success: SearchPage({ collections: Schema.Array(Collection) }),
  error: [...SearchErrors, publicError(RulesTooSlow)]
})
  .annotateMerge(READ_COLLECTIONS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Search collections")
  .annotate(
    OpenApi.Description,
    "Returns the collections that match a search, in a sort order, each with its current products. Rules: `docs/spec/queries.md`."
  )

export const getCollection = HttpApiEndpoint.get("getCollection", "/collections/:id", {
  params: collection,
  success: DataResponse(Collection, "The collection, with its products"),
  error: [publicError(CollectionNotFound), publicError(RulesTooSlow)]
})
  .annotateMerge(READ_COLLECTIONS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Read a collection")
  .annotate(OpenApi.Description, "Returns the collection with its current products. Rules are applied on every read.")

export const createCollection = HttpApiEndpoint.post("createCollection", "/collections", {
  disableCodecs: true,
  payload: CreateCollection,
  success: WriteResponses(Collection, "The new collection, with its products", 201),
  error: [
    ...ChangeErrors,
    publicError(CollectionLimitReached),
    publicError(SlugTaken),
    publicError(UnknownProducts),
    publicError(RulesTooSlow),
    publicError(TooManyProductIds)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_COLLECTIONS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Create a collection")
  .annotate(
    OpenApi.Description,
    "Only `title` is required. The response has the products that match the rules. Rules on `costPrice` also need `read_products` or `write_products`. Emits `catalog.collection.updated.v1`."
  )

export const updateCollection = HttpApiEndpoint.patch("updateCollection", "/collections/:id", {
  disableCodecs: true,
  params: collection,
  payload: UpdateCollection,
  success: WriteResponses(Collection, "The updated collection, with its products"),
  error: [
    ...ChangeErrors,
    publicError(CollectionNotFound),
    publicError(VersionMismatch),
    publicError(SlugTaken),
    publicError(UnknownProducts),
    publicError(RulesTooSlow),
    publicError(TooManyProductIds),
    publicError(TooManyMembers)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_COLLECTIONS)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Update a collection")
  .annotate(
    OpenApi.Description,
    "JSON Merge Patch at the top level. A manual collection that becomes automated loses its products. An automated collection that becomes manual without `productIds` keeps its current products. Emits `catalog.collection.updated.v1`, unless nothing changes."
  )

export const deleteCollection = HttpApiEndpoint.delete("deleteCollection", "/collections/:id", {
  params: collection,
  success: DeleteResponses(CollectionId),
  error: [...WriteErrors, publicError(CollectionNotFound), publicError(VersionMismatch)]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE_COLLECTIONS)
  .annotate(OpenApi.Summary, "Delete a collection")
  .annotate(OpenApi.Description, "Deletes the collection, but not its products. Emits no event.")

/** The collections of the store of the token. */
export class CollectionsGroup extends HttpApiGroup.make("Collections")
  .add(listCollections, searchCollections, getCollection, createCollection, updateCollection, deleteCollection)
  .annotate(OpenApi.Description, "Groups of products, manual or by rules. Rules: `docs/spec/collections.md`") {}
