import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  Collection,
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  CreateCollection,
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
import { optional } from "../../domain/catalog/Fields.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { EventLoop } from "../../domain/Events.ts"
import { KeyReused } from "../../domain/Idempotency.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, PageLimit } from "../../domain/Page.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { BadRequest } from "../BadRequest.ts"
import { publicError } from "../ErrorTable.ts"
import { BearerAuth, KeyRequired } from "./Access.ts"
import { needs } from "./Conventions.ts"

const productId = HttpApiSchema.param("id", ProductId.annotations({ description: "The id of the product" }))
const collectionId = HttpApiSchema.param("id", CollectionId.annotations({ description: "The id of the collection" }))

/** Query parameters of every list (contract, section 8). */
export const pageQuery = <A, I>(cursor: Schema.Schema<A, I>) =>
  Schema.Struct({
    cursor: optional(
      cursor.annotations({ description: "The `nextCursor` of the page before: the id of its last row" })
    ),
    limit: optional(
      PageLimit.annotations({
        jsonSchema: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: `Rows of a page: ${DEFAULT_LIMIT} when absent; more than ${MAX_LIMIT} is treated as ${MAX_LIMIT}`
        }
      })
    )
  })

const nextCursor = <A, I>(id: Schema.Schema<A, I>) =>
  Schema.NullOr(id).annotations({ description: "The id to go on from; null exactly when there is no further row" })

const Deleted = <A, I>(id: Schema.Schema<A, I>) =>
  Schema.Struct({ data: Schema.Struct({ id, deleted: Schema.Literal(true) }) }).annotations({
    description: "What is gone"
  })

const Answer = <A, I>(data: Schema.Schema<A, I>, description: string) =>
  Schema.Struct({ data }).annotations({ description })

/** The products of the store that the token belongs to. There is no read of a single product. */
export class ProductsGroup extends HttpApiGroup.make("Products")
  .add(
    HttpApiEndpoint.get("listProducts", "/products")
      .setUrlParams(pageQuery(ProductId))
      .addSuccess(
        Schema.Struct({ products: Schema.Array(Product), nextCursor: nextCursor(ProductId) }).annotations({
          description: "A page of products"
        })
      )
      .middleware(BearerAuth)
      .annotateContext(needs("read_products"))
      .annotate(OpenApi.Summary, "List products")
      .annotate(
        OpenApi.Description,
        "Every product, in ascending order of id. Ids rise with the order of commits, so a client that follows the cursor misses none."
      )
  )
  .add(
    HttpApiEndpoint.post("createProduct", "/products")
      .setPayload(CreateProduct)
      .addSuccess(Answer(Product, "The new product"), { status: 201 })
      .addError(publicError(BadRequest))
      .addError(publicError(ProductLimitReached))
      .addError(publicError(KeyReused))
      .addError(publicError(EventLoop))
      .addError(publicError(SlugTaken))
      .addError(publicError(ProductTooLarge))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_products"))
      .annotate(OpenApi.Summary, "Create a product")
      .annotate(OpenApi.Description, "Only `name` is required. Emits `catalog.product.updated.v1`.")
  )
  .add(
    HttpApiEndpoint.patch("updateProduct")`/products/${productId}`
      .setPayload(UpdateProduct)
      .addSuccess(Answer(Product, "The product as it now is"))
      .addError(publicError(BadRequest))
      .addError(publicError(ProductNotFound))
      .addError(publicError(KeyReused))
      .addError(publicError(EventLoop))
      .addError(publicError(VersionMismatch))
      .addError(publicError(SlugTaken))
      .addError(publicError(ProductTooLarge))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_products"))
      .annotate(OpenApi.Summary, "Update a product")
      .annotate(
        OpenApi.Description,
        "JSON Merge Patch at the top level: only what is named changes, null clears. A patch that changes nothing answers with the product as it is and emits nothing; any other emits `catalog.product.updated.v1`."
      )
  )
  .add(
    HttpApiEndpoint.del("deleteProduct")`/products/${productId}`
      .addSuccess(Deleted(ProductId))
      .addError(publicError(ProductNotFound))
      .addError(publicError(BadRequest))
      .addError(publicError(KeyReused))
      .addError(publicError(VersionMismatch))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_products"))
      .annotate(OpenApi.Summary, "Delete a product")
      .annotate(
        OpenApi.Description,
        "At once and for good, also from the manual collections that hold it. Emits no event."
      )
  )
  .annotate(OpenApi.Description, "What a store sells") {}

/** The collections of the store that the token belongs to. */
export class CollectionsGroup extends HttpApiGroup.make("Collections")
  .add(
    HttpApiEndpoint.get("listCollections", "/collections")
      .setUrlParams(pageQuery(CollectionId))
      .addSuccess(
        Schema.Struct({ collections: Schema.Array(Collection), nextCursor: nextCursor(CollectionId) }).annotations({
          description: "A page of collections"
        })
      )
      .middleware(BearerAuth)
      .annotateContext(needs("read_collections"))
      .annotate(OpenApi.Summary, "List collections")
      .annotate(
        OpenApi.Description,
        "Every collection, in ascending order of id, with the products it holds at this moment."
      )
  )
  .add(
    HttpApiEndpoint.get("getCollection")`/collections/${collectionId}`
      .addSuccess(Answer(Collection, "The collection, with its products"))
      .addError(publicError(CollectionNotFound))
      .middleware(BearerAuth)
      .annotateContext(needs("read_collections"))
      .annotate(OpenApi.Summary, "Read a collection")
      .annotate(OpenApi.Description, "With the products it holds at this moment: rules are applied on every read.")
  )
  .add(
    HttpApiEndpoint.post("createCollection", "/collections")
      .setPayload(CreateCollection)
      .addSuccess(Answer(Collection, "The new collection, with its products"), { status: 201 })
      .addError(publicError(BadRequest))
      .addError(publicError(CollectionLimitReached))
      .addError(publicError(KeyReused))
      .addError(publicError(EventLoop))
      .addError(publicError(SlugTaken))
      .addError(publicError(UnknownProducts))
      .addError(publicError(TooManyProductIds))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_collections"))
      .annotate(OpenApi.Summary, "Create a collection")
      .annotate(
        OpenApi.Description,
        "Only `title` is required. The answer already holds the products that match the rules. Emits `catalog.collection.updated.v1`."
      )
  )
  .add(
    HttpApiEndpoint.patch("updateCollection")`/collections/${collectionId}`
      .setPayload(UpdateCollection)
      .addSuccess(Answer(Collection, "The collection as it now is, with its products"))
      .addError(publicError(BadRequest))
      .addError(publicError(CollectionNotFound))
      .addError(publicError(KeyReused))
      .addError(publicError(EventLoop))
      .addError(publicError(VersionMismatch))
      .addError(publicError(SlugTaken))
      .addError(publicError(UnknownProducts))
      .addError(publicError(TooManyProductIds))
      .addError(publicError(TooManyMembers))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_collections"))
      .annotate(OpenApi.Summary, "Update a collection")
      .annotate(
        OpenApi.Description,
        "JSON Merge Patch at the top level. Made automated, a manual collection drops its products; made manual without naming any, an automated one keeps the current matches. Emits `catalog.collection.updated.v1` when something changed."
      )
  )
  .add(
    HttpApiEndpoint.del("deleteCollection")`/collections/${collectionId}`
      .addSuccess(Deleted(CollectionId))
      .addError(publicError(CollectionNotFound))
      .addError(publicError(BadRequest))
      .addError(publicError(KeyReused))
      .addError(publicError(VersionMismatch))
      .middleware(KeyRequired)
      .middleware(BearerAuth)
      .annotateContext(needs("write_collections"))
      .annotate(OpenApi.Summary, "Delete a collection")
      .annotate(OpenApi.Description, "The products stay. Emits no event.")
  )
  .annotate(OpenApi.Description, "Products grouped by hand or by rules") {}
