/* Made by scripts/generate-client.mjs of the definitions in src/http/api: `npm run generate`. */

import type { Effect } from "effect"

import type { CallError, EffectApi as Api, EffectListing, WithoutSignal } from "../EffectApi.ts"

import type {
  Answer,
  CallOptions,
  CreateOptions,
  DeleteOptions,
  DryRun,
  Rehearsed,
  UpdateOptions,
  WriteOptions
} from "../Calls.ts"

import { segment } from "../Segment.ts"

import type {
  AppDataEntry,
  Collection,
  CreateCollection,
  CreateProduct,
  Customer,
  DeletedAppData,
  DeletedCollection,
  DeletedProduct,
  ListAppDataQuery,
  ListCollectionsQuery,
  ListCustomersQuery,
  ListOrdersQuery,
  ListProductsQuery,
  Order,
  Product,
  PutAppData,
  SetInventory,
  Store,
  UpdateCollection,
  UpdateProduct
} from "./Resources.ts"

/** The store itself. */
export class StoreEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Read the store.
   *
   * What the store that the token belongs to says of itself, its plan, how much it holds, and how the app stands in it: what it was granted, and what the merchant subscribed to.
   *
   * Needs any valid token.
   *
   * Fails with ApiError of status 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   */
  get(options: WithoutSignal<CallOptions> = {}): Effect.Effect<Answer<Store>, CallError> {
    return this.#api.read(`/store`, {}, options)
  }
}

/** What a store sells. */
export class ProductsEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * List products.
   *
   * Every product, in ascending order of id. Ids rise with the order of commits, so a client that follows the cursor misses none.
   *
   * Needs the scope `read_products`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   */
  list(query: ListProductsQuery = {}, options: WithoutSignal<CallOptions> = {}): EffectListing<Product> {
    return this.#api.list(`/products`, "products", { ...query }, options)
  }

  /**
   * Create a product.
   *
   * Only `name` is required. Emits `catalog.product.updated.v1`.
   *
   * Needs the scope `write_products`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or with ConnectionError where no answer came.
   */
  create(product: CreateProduct, options?: WithoutSignal<CreateOptions>): Effect.Effect<Answer<Product>, CallError>
  /** Create a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept. */
  create(
    product: CreateProduct,
    options: DryRun<WithoutSignal<CreateOptions>>
  ): Effect.Effect<Rehearsed<Product>, CallError>
  create(product: CreateProduct, options: WithoutSignal<CreateOptions> | DryRun<WithoutSignal<CreateOptions>> = {}) {
    return this.#api.write<Product>("POST", `/products`, {}, options, product)
  }

  /**
   * Set the stock of a product.
   *
   * Of the product itself, or of the variant that `variantId` names: `stock` sets it, `adjust` changes it by a number, and one of the two is given. A variant without stock of its own counts as 0, and has one from then on. Changes that come at once are all counted; one that would lead below 0 is refused. Emits `catalog.product.updated.v1` unless the stock stays as it is.
   *
   * Needs the scope `write_inventory` or `write_products`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the product
   */
  setInventory(
    id: string,
    inventory: SetInventory,
    options?: WithoutSignal<UpdateOptions>
  ): Effect.Effect<Answer<Product>, CallError>
  /**
   * Set the stock of a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  setInventory(
    id: string,
    inventory: SetInventory,
    options: DryRun<WithoutSignal<UpdateOptions>>
  ): Effect.Effect<Rehearsed<Product>, CallError>
  setInventory(
    id: string,
    inventory: SetInventory,
    options: WithoutSignal<UpdateOptions> | DryRun<WithoutSignal<UpdateOptions>> = {}
  ) {
    return this.#api.write<Product>("PATCH", `/products/${segment(id)}/inventory`, {}, options, inventory)
  }

  /**
   * Update a product.
   *
   * JSON Merge Patch at the top level: only what is named changes, null clears. A patch that changes nothing answers with the product as it is and emits nothing; any other emits `catalog.product.updated.v1`.
   *
   * Needs the scope `write_products`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the product
   */
  update(
    id: string,
    product: UpdateProduct,
    options?: WithoutSignal<UpdateOptions>
  ): Effect.Effect<Answer<Product>, CallError>
  /**
   * Update a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  update(
    id: string,
    product: UpdateProduct,
    options: DryRun<WithoutSignal<UpdateOptions>>
  ): Effect.Effect<Rehearsed<Product>, CallError>
  update(
    id: string,
    product: UpdateProduct,
    options: WithoutSignal<UpdateOptions> | DryRun<WithoutSignal<UpdateOptions>> = {}
  ) {
    return this.#api.write<Product>("PATCH", `/products/${segment(id)}`, {}, options, product)
  }

  /**
   * Delete a product.
   *
   * At once and for good, also from the manual collections that hold it. Emits no event.
   *
   * Needs the scope `write_products`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 412, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the product
   */
  delete(id: string, options?: WithoutSignal<DeleteOptions>): Effect.Effect<Answer<DeletedProduct>, CallError>
  /**
   * Delete a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  delete(id: string, options: DryRun<WithoutSignal<DeleteOptions>>): Effect.Effect<Rehearsed<DeletedProduct>, CallError>
  delete(id: string, options: WithoutSignal<DeleteOptions> | DryRun<WithoutSignal<DeleteOptions>> = {}) {
    return this.#api.write<DeletedProduct>("DELETE", `/products/${segment(id)}`, {}, options)
  }
}

/** Products grouped by hand or by rules. */
export class CollectionsEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * List collections.
   *
   * Every collection, in ascending order of id, with the products it holds at this moment. A page also ends early, after at least one collection, when to find their products has taken 1000 ms.
   *
   * Needs the scope `read_collections`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 422, 429, 500, 503, or with ConnectionError where no answer came.
   */
  list(query: ListCollectionsQuery = {}, options: WithoutSignal<CallOptions> = {}): EffectListing<Collection> {
    return this.#api.list(`/collections`, "collections", { ...query }, options)
  }

  /**
   * Create a collection.
   *
   * Only `title` is required. The answer already holds the products that match the rules. Emits `catalog.collection.updated.v1`.
   *
   * Needs the scope `write_collections`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or with ConnectionError where no answer came.
   */
  create(
    collection: CreateCollection,
    options?: WithoutSignal<CreateOptions>
  ): Effect.Effect<Answer<Collection>, CallError>
  /** Create a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept. */
  create(
    collection: CreateCollection,
    options: DryRun<WithoutSignal<CreateOptions>>
  ): Effect.Effect<Rehearsed<Collection>, CallError>
  create(
    collection: CreateCollection,
    options: WithoutSignal<CreateOptions> | DryRun<WithoutSignal<CreateOptions>> = {}
  ) {
    return this.#api.write<Collection>("POST", `/collections`, {}, options, collection)
  }

  /**
   * Read a collection.
   *
   * With the products it holds at this moment: rules are applied on every read.
   *
   * Needs the scope `read_collections`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 422, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the collection
   */
  get(id: string, options: WithoutSignal<CallOptions> = {}): Effect.Effect<Answer<Collection>, CallError> {
    return this.#api.read(`/collections/${segment(id)}`, {}, options)
  }

  /**
   * Update a collection.
   *
   * JSON Merge Patch at the top level. Made automated, a manual collection drops its products; made manual without naming any, an automated one keeps the current matches. Emits `catalog.collection.updated.v1` when something changed.
   *
   * Needs the scope `write_collections`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the collection
   */
  update(
    id: string,
    collection: UpdateCollection,
    options?: WithoutSignal<UpdateOptions>
  ): Effect.Effect<Answer<Collection>, CallError>
  /**
   * Update a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the collection
   */
  update(
    id: string,
    collection: UpdateCollection,
    options: DryRun<WithoutSignal<UpdateOptions>>
  ): Effect.Effect<Rehearsed<Collection>, CallError>
  update(
    id: string,
    collection: UpdateCollection,
    options: WithoutSignal<UpdateOptions> | DryRun<WithoutSignal<UpdateOptions>> = {}
  ) {
    return this.#api.write<Collection>("PATCH", `/collections/${segment(id)}`, {}, options, collection)
  }

  /**
   * Delete a collection.
   *
   * The products stay. Emits no event.
   *
   * Needs the scope `write_collections`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 412, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param id the id of the collection
   */
  delete(id: string, options?: WithoutSignal<DeleteOptions>): Effect.Effect<Answer<DeletedCollection>, CallError>
  /**
   * Delete a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the collection
   */
  delete(
    id: string,
    options: DryRun<WithoutSignal<DeleteOptions>>
  ): Effect.Effect<Rehearsed<DeletedCollection>, CallError>
  delete(id: string, options: WithoutSignal<DeleteOptions> | DryRun<WithoutSignal<DeleteOptions>> = {}) {
    return this.#api.write<DeletedCollection>("DELETE", `/collections/${segment(id)}`, {}, options)
  }
}

/** What was ordered. */
export class OrdersEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * List orders.
   *
   * Every order, or those that have changed, in ascending order of id. Without the capability `customer_pii`, `email`, `shippingAddress` and `billingAddress` are null. There is no read of a single order, and no event tells of one.
   *
   * Needs the scope `read_orders`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   */
  list(query: ListOrdersQuery = {}, options: WithoutSignal<CallOptions> = {}): EffectListing<Order> {
    return this.#api.list(`/orders`, "orders", { ...query }, options)
  }
}

/** Who buys. */
export class CustomersEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * List customers.
   *
   * Every customer, or those that have changed, in ascending order of id. Without the capability `customer_pii`, `email`, `phone` and `addresses` are null. There is no read of a single customer, and no event tells of one.
   *
   * Needs the scope `read_customers`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   */
  list(query: ListCustomersQuery = {}, options: WithoutSignal<CallOptions> = {}): EffectListing<Customer> {
    return this.#api.list(`/customers`, "customers", { ...query }, options)
  }
}

/** What an installation keeps for itself. */
export class AppDataEffects {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Keep an entry.
   *
   * Makes an entry of the installation's own data, or replaces it. With `ttlSeconds` it ends by itself. An installation keeps 10,000 entries and 10 MiB of values; what has expired does not count.
   *
   * Needs the capability `app_storage`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param namespace a name that entries are kept under
   */
  put(
    namespace: string,
    appData: PutAppData,
    options?: WithoutSignal<CreateOptions>
  ): Effect.Effect<Answer<AppDataEntry>, CallError>
  /**
   * Keep an entry, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param namespace a name that entries are kept under
   */
  put(
    namespace: string,
    appData: PutAppData,
    options: DryRun<WithoutSignal<CreateOptions>>
  ): Effect.Effect<Rehearsed<AppDataEntry>, CallError>
  put(
    namespace: string,
    appData: PutAppData,
    options: WithoutSignal<CreateOptions> | DryRun<WithoutSignal<CreateOptions>> = {}
  ) {
    return this.#api.write<AppDataEntry>("PUT", `/app-data/${segment(namespace)}`, {}, options, appData)
  }

  /**
   * Read an entry, or list them.
   *
   * With `key`, the entry under it. Without, a page of the entries in the namespace, in ascending order of key: `cursor` is a key. What has expired is in neither.
   *
   * Needs the capability `app_storage`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param namespace a name that entries are kept under
   */
  list(
    namespace: string,
    query: ListAppDataQuery = {},
    options: WithoutSignal<CallOptions> = {}
  ): EffectListing<AppDataEntry> {
    return this.#api.list(`/app-data/${segment(namespace)}`, "entries", { ...query }, options)
  }

  /**
   * Read an entry, or list them.
   *
   * With `key`, the entry under it. Without, a page of the entries in the namespace, in ascending order of key: `cursor` is a key. What has expired is in neither.
   *
   * Needs the capability `app_storage`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param namespace a name that entries are kept under
   * @param key the entry that is wanted; without it, all of the namespace are listed
   */
  get(
    namespace: string,
    key: string,
    options: WithoutSignal<CallOptions> = {}
  ): Effect.Effect<Answer<AppDataEntry>, CallError> {
    return this.#api.read(`/app-data/${segment(namespace)}`, { key }, options)
  }

  /**
   * Delete an entry.
   *
   * At once and for good.
   *
   * Needs the capability `app_storage`.
   *
   * Fails with ApiError of status 400, 401, 403, 404, 409, 429, 500, 503, or with ConnectionError where no answer came.
   *
   * @param namespace a name that entries are kept under
   * @param key the key of the entry
   */
  delete(
    namespace: string,
    key: string,
    options?: WithoutSignal<WriteOptions>
  ): Effect.Effect<Answer<DeletedAppData>, CallError>
  /**
   * Delete an entry, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param namespace a name that entries are kept under
   * @param key the key of the entry
   */
  delete(
    namespace: string,
    key: string,
    options: DryRun<WithoutSignal<WriteOptions>>
  ): Effect.Effect<Rehearsed<DeletedAppData>, CallError>
  delete(
    namespace: string,
    key: string,
    options: WithoutSignal<WriteOptions> | DryRun<WithoutSignal<WriteOptions>> = {}
  ) {
    return this.#api.write<DeletedAppData>("DELETE", `/app-data/${segment(namespace)}`, { key }, options)
  }
}

/** Every operation that there is. */
export class PartnerEffects {
  /** The store itself. */
  readonly store: StoreEffects
  /** What a store sells. */
  readonly products: ProductsEffects
  /** Products grouped by hand or by rules. */
  readonly collections: CollectionsEffects
  /** What was ordered. */
  readonly orders: OrdersEffects
  /** Who buys. */
  readonly customers: CustomersEffects
  /** What an installation keeps for itself. */
  readonly appData: AppDataEffects

  constructor(api: Api) {
    this.store = new StoreEffects(api)
    this.products = new ProductsEffects(api)
    this.collections = new CollectionsEffects(api)
    this.orders = new OrdersEffects(api)
    this.customers = new CustomersEffects(api)
    this.appData = new AppDataEffects(api)
  }
}
