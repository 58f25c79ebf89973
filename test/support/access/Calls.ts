import { randomUUID } from "node:crypto"
import { type Ids, STOCK } from "./MarkedStore.ts"

/* Calls of all operations and procedures that read the marked store or depend on it. */

const COSTLY = [{ field: "costPrice", relation: "greater_than", value: 21337 }]

/** Change sets that select, name and change products and collections. */
const setsOf = ({ collection, product }: Ids): ReadonlyArray<object> => [
  { operations: [{ op: "inventory.change", id: product, change: { adjust: 1 } }] },
  { operations: [{ op: "inventory.change", sku: STOCK.sku, change: { adjust: 1, expectedStock: 1 } }] },
  { operations: [{ op: "product.update", id: product, patch: { price: 5 } }] },
  { operations: [{ op: "collection.create", collection: { title: "New", type: "automated", rules: COSTLY } }] },
  { where: { rules: [] }, change: { stock: { add: 1 } } },
  { where: { rules: COSTLY }, change: { collections: { add: [collection] } } },
  { where: { ids: [product] }, change: { stock: { add: 1 } } },
  { where: { ids: [product] }, change: { price: { percent: -10 } } },
  { where: { ids: [product] }, change: { collections: { remove: [collection] } } }
]

/** Request of an operation: its path below the prefix, body and headers. */
interface Request {
  readonly path?: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

const DRY = { headers: { prefer: "handling=dry-run" } }

/** Requests of each operation. `set` is a change set of the caller. */
export const REQUESTS: Readonly<Record<string, (ids: Ids, set: string) => ReadonlyArray<Request>>> = {
  getStore: () => [{}],
  listProducts: () => [{}],
  searchProducts: () => [{}, { path: `/products/search?rules=${encodeURIComponent(JSON.stringify(COSTLY))}` }],
  createProduct: () => [{ body: { name: "New" } }],
  setInventory: ({ product }) => [
    { path: `/products/${product}/inventory`, body: { adjust: 0 } },
    { path: `/products/${product}/inventory`, body: { adjust: 1 }, ...DRY },
    { path: `/products/${product}/inventory`, body: { adjust: -99_999 } },
    { path: `/products/${product}/inventory`, body: { stock: 1, expectedStock: 1 } }
  ],
  updateProduct: ({ product }) => [
    { path: `/products/${product}`, body: {} },
    { path: `/products/${product}`, body: { price: 1 }, ...DRY },
    { path: `/products/${product}`, body: { price: 1 }, headers: { "if-match": '"99"' } }
  ],
  deleteProduct: ({ product }) => [{ path: `/products/${product}`, ...DRY }],
  listCollections: () => [{}],
  searchCollections: () => [{}],
  getCollection: ({ collection }) => [{ path: `/collections/${collection}` }],
  createCollection: () => [
    { body: { title: "New" } },
    { body: { title: "New", type: "automated", rules: [{ field: "price", relation: "greater_than", value: 0 }] } },
    { body: { title: "New", type: "automated", rules: COSTLY } }
  ],
  updateCollection: ({ collection }) => [
    { path: `/collections/${collection}`, body: {} },
    { path: `/collections/${collection}`, body: { type: "automated", rules: COSTLY }, ...DRY }
  ],
  deleteCollection: ({ collection }) => [{ path: `/collections/${collection}`, ...DRY }],
  createChangeSet: (ids) => setsOf(ids).map((set) => ({ body: { mode: "each", ...set } })),
  listChangeSets: () => [{}],
  getChangeSet: (_, set) => [{ path: `/change-sets/${set}` }],
  listChangeSetResults: (_, set) => [{ path: `/change-sets/${set}/results` }],
  undoChangeSet: (_, set) => [{ path: `/change-sets/${set}/undo` }],
  cancelChangeSet: (_, set) => [{ path: `/change-sets/${set}/cancel` }],
  applyChangeSet: (_, set) => [{ path: `/change-sets/${set}/apply`, body: {} }],
  listChanges: ({ position }) => [{ path: `/changes?after=${position}&include=document` }],
  getDigest: () => [{ path: "/digest?resource=products" }, { path: "/digest?resource=collections" }],
  createFile: () => [{}],
  listFiles: () => [{}],
  getFile: ({ file }) => [{ path: `/files/${file}` }],
  deleteFile: () => [{ path: `/files/${randomUUID()}` }],
  listOrders: () => [{}],
  searchOrders: () => [{}, { path: "/orders/search?search=omail-q7" }],
  listCustomers: () => [{}],
  searchCustomers: () => [{}, { path: "/customers/search?search=kmail-q7" }],
  getAppData: () => [{ path: "/app-data/settings" }],
  putAppData: () => [{ path: "/app-data/settings", body: { key: "b", value: 1 } }],
  deleteAppData: () => [{ path: "/app-data/settings?key=b" }]
}

/** Payloads of each procedure that is open to agents. */
export const PAYLOADS: Readonly<Record<string, (ids: Ids, set: string) => ReadonlyArray<object>>> = {
  "store.get": () => [{}],
  "products.list": () => [{}],
  "products.get": ({ product }) => [{ id: product }],
  "products.create": () => [{ product: { name: "New" } }],
  "products.update": ({ product }) => [
    { id: product, patch: {} },
    { id: product, patch: { price: 1 }, dryRun: true },
    { id: product, patch: { price: 1 }, expectedVersion: 99 }
  ],
  "products.delete": ({ product }) => [{ id: product, dryRun: true }],
  "products.search": () => [{ query: "unnamed" }],
  "products.query": () => [{ rules: COSTLY }],
  "inventory.change": ({ product }) => [
    { id: product, change: { adjust: 0 } },
    { id: product, change: { adjust: 1 }, dryRun: true },
    { id: product, change: { adjust: -99_999 } }
  ],
  "collections.list": () => [{}],
  "collections.query": () => [{}],
  "collections.get": ({ collection }) => [{ id: collection }],
  "collections.create": () => [{ collection: { title: "New", type: "automated", rules: COSTLY } }],
  "collections.update": ({ collection }) => [
    { id: collection, patch: {} },
    { id: collection, patch: { type: "automated", rules: COSTLY }, dryRun: true }
  ],
  "collections.delete": ({ collection }) => [{ id: collection, dryRun: true }],
  "collections.preview": () => [{ rules: COSTLY }],
  "collections.why": ({ collection, product }) => [{ id: collection, productId: product, rules: COSTLY }],
  "changeSets.create": (ids) => setsOf(ids).map((set) => ({ mode: "each", ...set })),
  "changeSets.list": () => [{}],
  "changeSets.get": (_, set) => [{ id: set }],
  "changeSets.results": (_, set) => [{ id: set }],
  "changeSets.undo": (_, set) => [{ id: set }],
  "changeSets.cancel": (_, set) => [{ id: set }],
  "changeSets.apply": (_, set) => [{ id: set }],
  "changes.list": ({ position }) => [{ after: position, include: "document" }],
  "digest.get": () => [{ resource: "products" }, { resource: "collections" }],
  "orders.list": () => [{}],
  "orders.query": () => [{ search: "omail-q7" }],
  "orders.get": ({ order }) => [{ id: order }],
  "orders.summary": () => [{ days: 7 }],
  "customers.list": () => [{}],
  "customers.query": () => [{ search: "kmail-q7" }],
  "customers.get": ({ customer }) => [{ id: customer }],
  "files.fetch": () => [{ url: "https://127.0.0.1/desk.png" }],
  "activity.list": () => [{}],
  "activity.get": () => [{ id: randomUUID() }],
  "activity.fields": ({ collection, product }) => [
    { resource: "product", resourceId: product },
    { resource: "collection", resourceId: collection }
  ],
  "activity.undo": () => [{ id: randomUUID() }],
  "activity.undoSpan": () => [{ since: "2020-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z" }],
  "proposals.list": () => [{}],
  "proposals.get": () => [{ id: randomUUID() }],
  "proposals.withdraw": () => [{ id: randomUUID() }]
}
