import { Context, type Effect } from "effect"
import type { Actor } from "../Actor.ts"
import type { Document, DocumentPage } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { VersionCondition, VersionMismatch } from "../Version.ts"
import type {
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  CreateCollection,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts,
  UpdateCollection
} from "./Collection.ts"
import type {
  CreateProduct,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "./Product.ts"
import type { SlugTaken } from "./Slug.ts"

/**
 * Every read and write of products and collections, whichever surface asks. A create or update commits its event in
 * the transaction of the write, which inside `Idempotency.once` is that of the record; a change that changes nothing
 * writes nothing.
 */
export class Catalog extends Context.Tag("domain/Catalog")<
  Catalog,
  {
    /** Products in ascending order of id. */
    readonly listProducts: (store: StoreId, page: PageRequest<ProductId>) => Effect.Effect<DocumentPage<ProductId>>
    readonly createProduct: (
      actor: Actor,
      input: CreateProduct
    ) => Effect.Effect<Document<ProductId>, StoreNotFound | ProductLimitReached | ProductTooLarge | SlugTaken>
    readonly updateProduct: (
      actor: Actor,
      id: ProductId,
      patch: UpdateProduct,
      condition: VersionCondition
    ) => Effect.Effect<
      Document<ProductId>,
      StoreNotFound | ProductNotFound | ProductTooLarge | SlugTaken | VersionMismatch
    >
    /** Removes the product, also from the manual collections that hold it. Emits nothing (contract, section 6). */
    readonly deleteProduct: (
      actor: Actor,
      id: ProductId,
      condition: VersionCondition
    ) => Effect.Effect<void, StoreNotFound | ProductNotFound | VersionMismatch>

    /** Collections in ascending order of id, each with the products it holds at this moment. */
    readonly listCollections: (
      store: StoreId,
      page: PageRequest<CollectionId>
    ) => Effect.Effect<DocumentPage<CollectionId>>
    readonly getCollection: (
      store: StoreId,
      id: CollectionId
    ) => Effect.Effect<Document<CollectionId>, CollectionNotFound>
    readonly createCollection: (
      actor: Actor,
      input: CreateCollection
    ) => Effect.Effect<
      Document<CollectionId>,
      StoreNotFound | CollectionLimitReached | SlugTaken | UnknownProducts | TooManyProductIds
    >
    readonly updateCollection: (
      actor: Actor,
      id: CollectionId,
      patch: UpdateCollection,
      condition: VersionCondition
    ) => Effect.Effect<
      Document<CollectionId>,
      | StoreNotFound
      | CollectionNotFound
      | SlugTaken
      | UnknownProducts
      | TooManyProductIds
      | TooManyMembers
      | VersionMismatch
    >
    /** Removes the collection; its products stay. Emits nothing (contract, section 6). */
    readonly deleteCollection: (
      actor: Actor,
      id: CollectionId,
      condition: VersionCondition
    ) => Effect.Effect<void, StoreNotFound | CollectionNotFound | VersionMismatch>
  }
>() {}
