import { Context } from "effect"
import type {
  CollectionLimitReached,
  CollectionNotFound,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../catalog/Collection.ts"
import type { CreateProduct, ProductLimitReached, ProductTooLarge } from "../catalog/Product.ts"
import type { SlugTaken } from "../catalog/Slug.ts"
import type { PutCustomer, UnknownCustomer } from "../records/Customer.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { VersionMismatch } from "../Version.ts"
import type { Write } from "../Write.ts"
import type { PutCollection, UnknownReferences } from "./Collection.ts"
import type { ImportedOrder } from "./Order.ts"
import type { Put, PutAll, PutOutcome } from "./Put.ts"

/**
 * What is brought from elsewhere, where it has ids of its own: by those it is found again, so that the same import twice
 * changes nothing. Each is a write like any other, described here and performed by `Writes`, of the parts that the API's
 * writes are made of.
 */
export class Imports extends Context.Service<
  Imports,
  {
    /**
     * Puts products, of whose external ids none stands twice. What a create or an update does for one happens to all of
     * them at once. `planned` counts products that rehearsals made before, of which nothing stayed.
     */
    readonly putProducts: (
      store: StoreId,
      puts: ReadonlyArray<Put<CreateProduct>>,
      planned: number
    ) => Write<PutAll<ProductTooLarge | SlugTaken, ProductLimitReached>, StoreNotFound>
    /** Puts a collection, whose products are named by their external ids or by their own. */
    readonly putCollection: (
      store: StoreId,
      put: Put<PutCollection>
    ) => Write<
      PutOutcome,
      | StoreNotFound
      | CollectionNotFound
      | CollectionLimitReached
      | SlugTaken
      | UnknownReferences
      | UnknownProducts
      | TooManyProductIds
      | TooManyMembers
      | RulesTooSlow
      | VersionMismatch
    >
    /** Puts orders. Whom they refer to must be there; a product that is not is told by the name on its line. */
    readonly putOrders: (
      store: StoreId,
      puts: ReadonlyArray<Put<ImportedOrder>>
    ) => Write<PutAll<UnknownReferences | UnknownCustomer, never>, StoreNotFound>
    readonly putCustomers: (
      store: StoreId,
      puts: ReadonlyArray<Put<PutCustomer>>
    ) => Write<PutAll<never, never>, StoreNotFound>
  }
>()("domain/Imports") {}
