import { makeFullProduct } from "../seed/population.ts"
import { appToken, type MeasuredStore, memberSession, productIdOf, READERS, storeIdOf } from "../seed/scaleStores.ts"

/* Requests whose cost is measured. */

const API = "/api/platform/v1"

export type MakeRequest = (store: MeasuredStore, n: number) => string

const format = (method: string, path: string, head: ReadonlyArray<string>, body = "") =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Makes a request to the REST API. A body makes it a write. */
const rest = ({ number }: MeasuredStore, n: number, method: string, path: string, body?: object) =>
  format(
    method,
    `${API}${path}`,
    [
      `authorization: Bearer ${appToken(number, n % READERS)}`,
      ...(body === undefined ? [] : [`idempotency-key: sent-${n}`, "content-type: application/json"])
    ],
    body === undefined ? "" : JSON.stringify(body)
  )

const rpc = ({ number }: MeasuredStore, n: number, tag: string, payload: object) =>
  format(
    "POST",
    "/rpc",
    [`cookie: session=${memberSession(number, n % READERS)}`, "content-type: application/ndjson"],
    `${JSON.stringify({ _tag: "Request", id: "1", tag, payload })}\n`
  )

/** Numbers of products in a mixed order. */
const productAt = ({ products }: MeasuredStore, n: number) => (n * 7919) % products

/** Number of the last tenth: no other number of the store begins with it. */
const lateProductAt = ({ products }: MeasuredStore, n: number) => products - 1 - (n % Math.ceil(products / 10))

export interface Place {
  readonly collection: string
  readonly position: string
}

interface Work {
  readonly title: string
  readonly make: (place: Place) => MakeRequest
  /** True if docs/scaling.md says why it grows. */
  readonly mayGrow?: boolean
}

export const WORK: ReadonlyArray<Work> = [
  {
    title: "Read one product",
    make: () => (store, n) => rest(store, n, "GET", `/products?ids=${productIdOf(productAt(store, n))}`)
  },
  {
    title: "First 20 products",
    make: () => (store, n) => rest(store, n, "GET", "/products?limit=20")
  },
  {
    title: "20 products after 90 %",
    make: () => (store, n) =>
      rest(
        store,
        n,
        "GET",
        `/products?limit=20&cursor=${productIdOf(Math.max(0, Math.floor(store.products * 0.9) - 21))}`
      )
  },
  {
    title: "Search that finds one",
    make: () => (store, n) => rest(store, n, "GET", `/products/search?limit=20&search=${lateProductAt(store, n)}`)
  },
  {
    title: "Search that finds a quarter",
    make: () => (store, n) => rest(store, n, "GET", "/products/search?limit=20&search=desk"),
    mayGrow: true
  },
  {
    title: "Create a product",
    make: () => (store, n) =>
      rest(store, n, "POST", "/products", { ...makeFullProduct(n), name: `Made ${n}`, sku: `MADE-${n}` })
  },
  {
    title: "Patch a product",
    make: () => (store, n) =>
      rest(store, n, "PATCH", `/products/${productIdOf(productAt(store, n))}`, { price: (n % 99_991) / 100 + 1 })
  },
  {
    title: "Collection of 50",
    make:
      ({ collection }) =>
      (store, n) =>
        rest(store, n, "GET", `/collections/${collection}`)
  },
  {
    title: "Page of changes",
    make:
      ({ position }) =>
      (store, n) =>
        rest(store, n, "GET", `/changes?limit=20&after=${position}`)
  },
  { title: "Session: account.get", make: () => (store, n) => rpc(store, n, "account.get", {}) },
  {
    title: "RPC: products.get",
    make: () => (store, n) =>
      rpc(store, n, "products.get", { storeId: storeIdOf(store.number), id: productIdOf(productAt(store, n)) })
  }
]
