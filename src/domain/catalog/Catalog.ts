import { Context, type Effect } from "effect"
import type { BadRequest } from "../BadRequest.ts"
import type { Document, DocumentPage, JsonText } from "../json/Document.ts"
import type { QueryPage, QueryPageRequest, QueryTooSlow } from "../Query.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { VersionCondition, VersionMismatch } from "../Version.ts"
import type { Write } from "../Write.ts"
import type {
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  CreateCollection,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts,
  UpdateCollection
} from "./Collection.ts"
import type { CatalogRequest } from "./ListFilter.ts"
import type { SetInventory, StockMismatch, StockOutOfRange, VariantNotFound } from "./Inventory.ts"
import type { Membership, PreviewRules, RulesToEvaluate } from "./Membership.ts"
import type {
  CreateProduct,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "./Product.ts"
import type { CollectionQuery, ProductQuery } from "./Queries.ts"
import type { SlugTaken } from "./Slug.ts"

/** Result of a preview, with the products as JSON. */
export interface PreviewDocument {
  readonly productCount: number
  readonly items: JsonText
}

/**
 * Reads and writes of products and collections, for all surfaces. Methods that return a `Write` only describe it;
 * `Idempotency.once`, or `Writes.perform` without a key, runs it in one transaction with its journal entry and event. A
 * change without effect writes nothing.
 */
export class Catalog extends Context.Service<
  Catalog,
  {
    /** Lists products in ascending order of id. A page of a filtered list can be short or empty before the last one. */
    readonly listProducts: (
      store: StoreId,
      request: CatalogRequest<ProductId>
    ) => Effect.Effect<DocumentPage<ProductId>>
    /** Lists the products that match a query, in its sort order. */
    readonly queryProducts: (
      store: StoreId,
      query: ProductQuery,
      page: QueryPageRequest
    ) => Effect.Effect<QueryPage, BadRequest | QueryTooSlow>
    /** Returns summaries of products in the order of `ids`. Unknown ids are skipped. */
    readonly summarizeProducts: (store: StoreId, ids: ReadonlyArray<ProductId>) => Effect.Effect<JsonText>
    readonly getProduct: (store: StoreId, id: ProductId) => Effect.Effect<Document<ProductId>, ProductNotFound>
    readonly createProduct: (
      store: StoreId,
      input: CreateProduct
    ) => Write<Document<ProductId>, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken>
    readonly updateProduct: (
      store: StoreId,
      id: ProductId,
      patch: UpdateProduct,
      condition: VersionCondition
    ) => Write<Document<ProductId>, StoreNotFound | ProductNotFound | ProductTooLarge | SlugTaken | VersionMismatch>
    /** Sets the stock of a product or variant, or changes it by a difference. Concurrent changes are all applied. */
    readonly setInventory: (
      store: StoreId,
      id: ProductId,
      change: SetInventory,
      condition: VersionCondition
    ) => Write<
      Document<ProductId>,
      ProductNotFound | VariantNotFound | StockMismatch | StockOutOfRange | ProductTooLarge | VersionMismatch
    >
    /** Deletes the product and removes it from manual collections. Sends no event (contract, section 6). */
    readonly deleteProduct: (
      store: StoreId,
      id: ProductId,
      condition: VersionCondition
    ) => Write<void, StoreNotFound | ProductNotFound | VersionMismatch>

    /** Lists collections in ascending order of id, each with its current products. */
    readonly listCollections: (
      store: StoreId,
      request: CatalogRequest<CollectionId>
    ) => Effect.Effect<DocumentPage<CollectionId>, RulesTooSlow>
    /** Lists the collections that match a query, in its sort order, each with its current products. */
    readonly queryCollections: (
      store: StoreId,
      query: CollectionQuery,
      page: QueryPageRequest
    ) => Effect.Effect<QueryPage, BadRequest | QueryTooSlow | RulesTooSlow>
    readonly getCollection: (
      store: StoreId,
      id: CollectionId
    ) => Effect.Effect<Document<CollectionId>, CollectionNotFound | RulesTooSlow>
    /** Returns the products that an automated collection with these rules would contain. */
    readonly previewCollection: (
      store: StoreId,
      rules: PreviewRules
    ) => Effect.Effect<PreviewDocument, CollectionNotFound | RulesTooSlow>
    /** Explains why a collection contains a product or not, by its own or by given rules. */
    readonly explainMembership: (
      store: StoreId,
      product: ProductId,
      rules: RulesToEvaluate
    ) => Effect.Effect<Membership, CollectionNotFound | ProductNotFound>
    readonly createCollection: (
      store: StoreId,
      input: CreateCollection
    ) => Write<
      Document<CollectionId>,
      StoreNotFound | CollectionLimitReached | SlugTaken | UnknownProducts | TooManyProductIds | RulesTooSlow
    >
    readonly updateCollection: (
      store: StoreId,
      id: CollectionId,
      patch: UpdateCollection,
      condition: VersionCondition
    ) => Write<
      Document<CollectionId>,
      | StoreNotFound
      | CollectionNotFound
      | SlugTaken
      | UnknownProducts
      | TooManyProductIds
      | TooManyMembers
      | RulesTooSlow
      | VersionMismatch
    >
    /** Deletes the collection; its products stay. Sends no event (contract, section 6). */
    readonly deleteCollection: (
      store: StoreId,
      id: CollectionId,
      condition: VersionCondition
    ) => Write<void, StoreNotFound | CollectionNotFound | VersionMismatch>
  }
>()("domain/Catalog") {}
