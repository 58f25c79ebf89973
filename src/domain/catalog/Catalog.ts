import { Context, type Effect } from "effect"
import type { Document, DocumentPage, JsonText } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
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
import type { SetInventory, StockMismatch, StockOutOfRange, VariantNotFound } from "./Inventory.ts"
import type { Membership, PreviewRules, TriedRules } from "./Membership.ts"
import type {
  CreateProduct,
  ProductId,
  ProductLimitReached,
  ProductNotFound,
  ProductTooLarge,
  UpdateProduct
} from "./Product.ts"
import type { SlugTaken } from "./Slug.ts"

/** A preview, whose products are JSON already. */
export interface PreviewOf {
  readonly productCount: number
  readonly items: JsonText
}

/**
 * Every read and write of products and collections, whichever surface asks. A write is described here, and performed by
 * `Idempotency.once`, or `Writes.perform` where there is no key: with its journal entry and its event, all or nothing. A
 * change that changes nothing writes nothing.
 */
export class Catalog extends Context.Service<
  Catalog,
  {
    /** Products in ascending order of id. */
    readonly listProducts: (store: StoreId, page: PageRequest<ProductId>) => Effect.Effect<DocumentPage<ProductId>>
    /** The small forms of products, in the order of their ids. What there is not is left out. */
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
    /** Sets the stock of a product or a variant, or changes it by a number: whatever comes at once, none is lost. */
    readonly setInventory: (
      store: StoreId,
      id: ProductId,
      change: SetInventory,
      condition: VersionCondition
    ) => Write<
      Document<ProductId>,
      ProductNotFound | VariantNotFound | StockMismatch | StockOutOfRange | ProductTooLarge | VersionMismatch
    >
    /** Removes the product, also from the manual collections that hold it. Emits nothing (contract, section 6). */
    readonly deleteProduct: (
      store: StoreId,
      id: ProductId,
      condition: VersionCondition
    ) => Write<void, StoreNotFound | ProductNotFound | VersionMismatch>

    /** Collections in ascending order of id, each with the products it holds at this moment. */
    readonly listCollections: (
      store: StoreId,
      page: PageRequest<CollectionId>
    ) => Effect.Effect<DocumentPage<CollectionId>, RulesTooSlow>
    readonly getCollection: (
      store: StoreId,
      id: CollectionId
    ) => Effect.Effect<Document<CollectionId>, CollectionNotFound | RulesTooSlow>
    /** What an automated collection of these rules would hold, as a read of it would say. */
    readonly previewCollection: (
      store: StoreId,
      rules: PreviewRules
    ) => Effect.Effect<PreviewOf, CollectionNotFound | RulesTooSlow>
    /** Why a collection holds a product or does not, or would by rules that are tried out. */
    readonly explainMembership: (
      store: StoreId,
      product: ProductId,
      rules: TriedRules
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
    /** Removes the collection; its products stay. Emits nothing (contract, section 6). */
    readonly deleteCollection: (
      store: StoreId,
      id: CollectionId,
      condition: VersionCondition
    ) => Write<void, StoreNotFound | CollectionNotFound | VersionMismatch>
  }
>()("domain/Catalog") {}
