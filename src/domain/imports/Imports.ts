import { Context } from "effect"
import type {
  CollectionLimitReached,
  CollectionNotFound,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../catalog/Collection.ts"
import type { ProductLimitReached, ProductTooLarge } from "../catalog/Product.ts"
import type { SlugTaken } from "../catalog/Slug.ts"
import type { PutCustomer, UnknownCustomer } from "../records/Customer.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { VersionMismatch } from "../Version.ts"
import type { Write } from "../Write.ts"
import type { PutCollection, UnknownReferences } from "./Collection.ts"
import type { ImportedOrder } from "./Order.ts"
import type { ImportedProduct } from "./Product.ts"
import type { ImportItem, BatchResult, ImportOutcome, InvalidRow } from "./Put.ts"

/**
 * Imports resources that have ids of another system. They are matched by these external ids, so that repeating an
 * import changes nothing. Methods describe writes, which `Writes` performs; they consist of the same parts as the
 * writes of the API.
 */
export class Imports extends Context.Service<
  Imports,
  {
    /**
     * Creates or updates products with distinct external ids. Applies the rules of single creates and updates to all
     * products at once. `planned` is the number of products that earlier dry runs would have created; they count
     * against the product limit.
     */
    readonly putProducts: (
      store: StoreId,
      items: ReadonlyArray<ImportItem<ImportedProduct>>,
      planned: number
    ) => Write<BatchResult<ProductTooLarge | SlugTaken | InvalidRow, ProductLimitReached>, StoreNotFound>
    /** Creates or updates a collection. A new one needs a title. Products are referenced by external id or by id. */
    readonly putCollection: (
      store: StoreId,
      put: ImportItem<PutCollection>
    ) => Write<
      ImportOutcome,
      | StoreNotFound
      | CollectionNotFound
      | CollectionLimitReached
      | SlugTaken
      | InvalidRow
      | UnknownReferences
      | UnknownProducts
      | TooManyProductIds
      | TooManyMembers
      | RulesTooSlow
      | VersionMismatch
    >
    /**
     * Creates or updates orders with distinct external ids. Referenced customers must exist. For a product that does not exist, the line keeps
     * only its name.
     */
    readonly putOrders: (
      store: StoreId,
      items: ReadonlyArray<ImportItem<ImportedOrder>>
    ) => Write<BatchResult<InvalidRow | UnknownReferences | UnknownCustomer, never>, StoreNotFound>
    /** Creates or updates customers with distinct external ids. */
    readonly putCustomers: (
      store: StoreId,
      items: ReadonlyArray<ImportItem<PutCustomer>>
    ) => Write<BatchResult<never, never>, StoreNotFound>
  }
>()("domain/Imports") {}
