/* Made by scripts/generate-client.mjs of the definitions in src/http/api: `npm run generate`. */

import type { Api } from "../Api.ts"

import type {
  Answer,
  CallOptions,
  CreateOptions,
  DeleteOptions,
  DryRun,
  Listing,
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
export class StoreApi {
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
   * @throws ApiError of status 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  get(options: CallOptions = {}): Promise<Answer<Store>> {
    return this.#api.read(`/store`, {}, options)
  }
}

/** What a store sells. */
export class ProductsApi {
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
   * @throws ApiError of status 400, 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  list(query: ListProductsQuery = {}, options: CallOptions = {}): Listing<Product> {
    return this.#api.list(`/products`, "products", { ...query }, options)
  }

  /**
   * Create a product.
   *
   * Only `name` is required. Emits `catalog.product.updated.v1`.
   *
   * Needs the scope `write_products`.
   *
   * @throws ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  create(product: CreateProduct, options?: CreateOptions): Promise<Answer<Product>>
  /** Create a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept. */
  create(product: CreateProduct, options: DryRun<CreateOptions>): Promise<Rehearsed<Product>>
  create(product: CreateProduct, options: CreateOptions | DryRun<CreateOptions> = {}) {
    return this.#api.write<Product>("POST", `/products`, {}, options, product)
  }

  /**
   * Set the stock of a product.
   *
   * Of the product itself, or of the variant that `variantId` names: `stock` sets it, `adjust` changes it by a number, and one of the two is given. A variant without stock of its own counts as 0, and has one from then on. Changes that come at once are all counted; one that would lead below 0 is refused. Emits `catalog.product.updated.v1` unless the stock stays as it is.
   *
   * Needs the scope `write_inventory` or `write_products`.
   *
   * @param id the id of the product
   * @throws ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  setInventory(id: string, inventory: SetInventory, options?: UpdateOptions): Promise<Answer<Product>>
  /**
   * Set the stock of a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  setInventory(id: string, inventory: SetInventory, options: DryRun<UpdateOptions>): Promise<Rehearsed<Product>>
  setInventory(id: string, inventory: SetInventory, options: UpdateOptions | DryRun<UpdateOptions> = {}) {
    return this.#api.write<Product>("PATCH", `/products/${segment(id)}/inventory`, {}, options, inventory)
  }

  /**
   * Update a product.
   *
   * JSON Merge Patch at the top level: only what is named changes, null clears. A patch that changes nothing answers with the product as it is and emits nothing; any other emits `catalog.product.updated.v1`.
   *
   * Needs the scope `write_products`.
   *
   * @param id the id of the product
   * @throws ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  update(id: string, product: UpdateProduct, options?: UpdateOptions): Promise<Answer<Product>>
  /**
   * Update a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  update(id: string, product: UpdateProduct, options: DryRun<UpdateOptions>): Promise<Rehearsed<Product>>
  update(id: string, product: UpdateProduct, options: UpdateOptions | DryRun<UpdateOptions> = {}) {
    return this.#api.write<Product>("PATCH", `/products/${segment(id)}`, {}, options, product)
  }

  /**
   * Delete a product.
   *
   * At once and for good, also from the manual collections that hold it. Emits no event.
   *
   * Needs the scope `write_products`.
   *
   * @param id the id of the product
   * @throws ApiError of status 400, 401, 403, 404, 409, 412, 429, 500, 503, or ConnectionError where no answer came
   */
  delete(id: string, options?: DeleteOptions): Promise<Answer<DeletedProduct>>
  /**
   * Delete a product, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the product
   */
  delete(id: string, options: DryRun<DeleteOptions>): Promise<Rehearsed<DeletedProduct>>
  delete(id: string, options: DeleteOptions | DryRun<DeleteOptions> = {}) {
    return this.#api.write<DeletedProduct>("DELETE", `/products/${segment(id)}`, {}, options)
  }
}

/** Products grouped by hand or by rules. */
export class CollectionsApi {
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
   * @throws ApiError of status 400, 401, 403, 404, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  list(query: ListCollectionsQuery = {}, options: CallOptions = {}): Listing<Collection> {
    return this.#api.list(`/collections`, "collections", { ...query }, options)
  }

  /**
   * Create a collection.
   *
   * Only `title` is required. The answer already holds the products that match the rules. Emits `catalog.collection.updated.v1`.
   *
   * Needs the scope `write_collections`.
   *
   * @throws ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  create(collection: CreateCollection, options?: CreateOptions): Promise<Answer<Collection>>
  /** Create a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept. */
  create(collection: CreateCollection, options: DryRun<CreateOptions>): Promise<Rehearsed<Collection>>
  create(collection: CreateCollection, options: CreateOptions | DryRun<CreateOptions> = {}) {
    return this.#api.write<Collection>("POST", `/collections`, {}, options, collection)
  }

  /**
   * Read a collection.
   *
   * With the products it holds at this moment: rules are applied on every read.
   *
   * Needs the scope `read_collections`.
   *
   * @param id the id of the collection
   * @throws ApiError of status 400, 401, 403, 404, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  get(id: string, options: CallOptions = {}): Promise<Answer<Collection>> {
    return this.#api.read(`/collections/${segment(id)}`, {}, options)
  }

  /**
   * Update a collection.
   *
   * JSON Merge Patch at the top level. Made automated, a manual collection drops its products; made manual without naming any, an automated one keeps the current matches. Emits `catalog.collection.updated.v1` when something changed.
   *
   * Needs the scope `write_collections`.
   *
   * @param id the id of the collection
   * @throws ApiError of status 400, 401, 403, 404, 409, 412, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  update(id: string, collection: UpdateCollection, options?: UpdateOptions): Promise<Answer<Collection>>
  /**
   * Update a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the collection
   */
  update(id: string, collection: UpdateCollection, options: DryRun<UpdateOptions>): Promise<Rehearsed<Collection>>
  update(id: string, collection: UpdateCollection, options: UpdateOptions | DryRun<UpdateOptions> = {}) {
    return this.#api.write<Collection>("PATCH", `/collections/${segment(id)}`, {}, options, collection)
  }

  /**
   * Delete a collection.
   *
   * The products stay. Emits no event.
   *
   * Needs the scope `write_collections`.
   *
   * @param id the id of the collection
   * @throws ApiError of status 400, 401, 403, 404, 409, 412, 429, 500, 503, or ConnectionError where no answer came
   */
  delete(id: string, options?: DeleteOptions): Promise<Answer<DeletedCollection>>
  /**
   * Delete a collection, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param id the id of the collection
   */
  delete(id: string, options: DryRun<DeleteOptions>): Promise<Rehearsed<DeletedCollection>>
  delete(id: string, options: DeleteOptions | DryRun<DeleteOptions> = {}) {
    return this.#api.write<DeletedCollection>("DELETE", `/collections/${segment(id)}`, {}, options)
  }
}

/** What was ordered. */
export class OrdersApi {
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
   * @throws ApiError of status 400, 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  list(query: ListOrdersQuery = {}, options: CallOptions = {}): Listing<Order> {
    return this.#api.list(`/orders`, "orders", { ...query }, options)
  }
}

/** Who buys. */
export class CustomersApi {
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
   * @throws ApiError of status 400, 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  list(query: ListCustomersQuery = {}, options: CallOptions = {}): Listing<Customer> {
    return this.#api.list(`/customers`, "customers", { ...query }, options)
  }
}

/** What an installation keeps for itself. */
export class AppDataApi {
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
   * @param namespace namespace of the entry
   * @throws ApiError of status 400, 401, 403, 404, 409, 422, 429, 500, 503, or ConnectionError where no answer came
   */
  put(namespace: string, appData: PutAppData, options?: CreateOptions): Promise<Answer<AppDataEntry>>
  /**
   * Keep an entry, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param namespace namespace of the entry
   */
  put(namespace: string, appData: PutAppData, options: DryRun<CreateOptions>): Promise<Rehearsed<AppDataEntry>>
  put(namespace: string, appData: PutAppData, options: CreateOptions | DryRun<CreateOptions> = {}) {
    return this.#api.write<AppDataEntry>("PUT", `/app-data/${segment(namespace)}`, {}, options, appData)
  }

  /**
   * Read an entry, or list them.
   *
   * With `key`, the entry under it. Without, a page of the entries in the namespace, in ascending order of key: `cursor` is a key. What has expired is in neither.
   *
   * Needs the capability `app_storage`.
   *
   * @param namespace namespace of the entry
   * @throws ApiError of status 400, 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  list(namespace: string, query: ListAppDataQuery = {}, options: CallOptions = {}): Listing<AppDataEntry> {
    return this.#api.list(`/app-data/${segment(namespace)}`, "entries", { ...query }, options)
  }

  /**
   * Read an entry, or list them.
   *
   * With `key`, the entry under it. Without, a page of the entries in the namespace, in ascending order of key: `cursor` is a key. What has expired is in neither.
   *
   * Needs the capability `app_storage`.
   *
   * @param namespace namespace of the entry
   * @param key the entry that is wanted; without it, all of the namespace are listed
   * @throws ApiError of status 400, 401, 403, 404, 429, 500, 503, or ConnectionError where no answer came
   */
  get(namespace: string, key: string, options: CallOptions = {}): Promise<Answer<AppDataEntry>> {
    return this.#api.read(`/app-data/${segment(namespace)}`, { key }, options)
  }

  /**
   * Delete an entry.
   *
   * At once and for good.
   *
   * Needs the capability `app_storage`.
   *
   * @param namespace namespace of the entry
   * @param key key of the entry
   * @throws ApiError of status 400, 401, 403, 404, 409, 429, 500, 503, or ConnectionError where no answer came
   */
  delete(namespace: string, key: string, options?: WriteOptions): Promise<Answer<DeletedAppData>>
  /**
   * Delete an entry, as a dry run: decided and answered as it would be, or refused, with what it would lead to. Nothing is kept.
   *
   * @param namespace namespace of the entry
   * @param key key of the entry
   */
  delete(namespace: string, key: string, options: DryRun<WriteOptions>): Promise<Rehearsed<DeletedAppData>>
  delete(namespace: string, key: string, options: WriteOptions | DryRun<WriteOptions> = {}) {
    return this.#api.write<DeletedAppData>("DELETE", `/app-data/${segment(namespace)}`, { key }, options)
  }
}

/** Every operation that there is. */
export class PartnerClient {
  /** The store itself. */
  readonly store: StoreApi
  /** What a store sells. */
  readonly products: ProductsApi
  /** Products grouped by hand or by rules. */
  readonly collections: CollectionsApi
  /** What was ordered. */
  readonly orders: OrdersApi
  /** Who buys. */
  readonly customers: CustomersApi
  /** What an installation keeps for itself. */
  readonly appData: AppDataApi

  constructor(api: Api) {
    this.store = new StoreApi(api)
    this.products = new ProductsApi(api)
    this.collections = new CollectionsApi(api)
    this.orders = new OrdersApi(api)
    this.customers = new CustomersApi(api)
    this.appData = new AppDataApi(api)
  }
}
