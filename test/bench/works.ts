import { mcpCreate, mcpGet, mcpList, rpcCreate, withKey } from "./calls.ts"
import { exchange, refresh } from "./grants.ts"
import {
  DEEP,
  entryKey,
  entryValue,
  fullProduct,
  type Group,
  idOf,
  installationAt,
  INSTALLATIONS,
  PRODUCTS,
  storeOf,
  tokenOf,
  VAST
} from "./population.ts"

/** A request to send, all of it but the connection. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly installation: number
  readonly body?: string
  /** Lines in place of those that say who asks, with which key, and what the body is. */
  readonly head?: ReadonlyArray<string>
}

const API = "/api/platform/v1"

const get = (group: Group, n: number, path: string): Request => ({
  method: "GET",
  path: `${API}${path}`,
  installation: installationAt(group, n)
})

/** A full product with a marker where each request writes its own number. */
const [before = "", between = "", after = ""] = JSON.stringify({
  ...fullProduct(0),
  name: "Bench product @",
  sku: "BENCH-@"
}).split("@")

const create = (n: number): Request => ({
  ...get("shared", n, "/products"),
  method: "POST",
  body: `${before}${n}${between}${n}${after}`
})

/** Walks through all products of all stores, and never sends what a product already has. */
const update = (n: number): Request => {
  const installation = installationAt("shared", n)
  const store = storeOf(installation)
  const product = Math.floor(n / 50) % PRODUCTS
  return {
    method: "PATCH",
    path: `${API}/products/${idOf("product", store, product)}`,
    installation,
    body: `{"price":${(n % 99_991) / 100 + 1},"stock":${n % 1009}}`
  }
}

/** Walks through the products likewise. */
const inventory = (n: number): Request => ({
  ...update(n),
  path: `${update(n).path}/inventory`,
  body: '{"adjust":1}'
})

/** Entries of each installation in turn. */
const entry = (n: number): Request =>
  get("shared", n, `/app-data/settings?key=${entryKey(Math.floor(n / INSTALLATIONS.shared.count))}`)

const putEntry = (n: number): Request => ({
  ...get("shared", n, "/app-data/settings"),
  method: "PUT",
  body: `{"key":"${entryKey(Math.floor(n / INSTALLATIONS.shared.count))}","value":${entryValue(n)}}`
})

const collection = (n: number) => get("deep", n, `/collections/${idOf("collection", DEEP.store, n % DEEP.collections)}`)

const LAST_PAGE = `/products?limit=50&cursor=${idOf("product", VAST.store, VAST.products - 51)}`

/** Reads and writes as they come. 21 shares no factor with the stores, so each store gets each kind. */
const MIX = [..."lslwlscplpslwlscplpsw"]

/** The n-th request of each kind of work. */
export const WORKS = {
  list: (n: number) => get("shared", n, "/products?limit=50"),
  listFew: (n: number) => get("shared", n, "/products?limit=5"),
  orders: (n: number) => get("shared", n, "/orders?limit=50"),
  collection,
  create,
  update,
  inventory,
  entry,
  putEntry,
  collections: (n: number) => get("deep", n, "/collections?limit=50"),
  mixed: (n: number): Request => {
    switch (MIX[n % MIX.length]) {
      case "l":
        return WORKS.list(n)
      case "s":
        return WORKS.listFew(n)
      case "c":
        return collection(n)
      case "w":
        return create(n)
      default:
        return update(n)
    }
  },
  rpcCreate,
  mcpGet,
  mcpList,
  mcpCreate,
  exchange,
  refresh,
  firstPage: (n: number) => get("vast", n, "/products?limit=50"),
  lastPage: (n: number) => get("vast", n, LAST_PAGE)
} satisfies Record<string, (n: number) => Request>

export type Work = keyof typeof WORKS

export const textOf = (
  { body, head: given, installation, method, path }: Request,
  port: number,
  key: string
): string => {
  const lines = given ?? [
    `authorization: Bearer ${tokenOf(installation)}`,
    ...(body === undefined ? [] : [`idempotency-key: ${key}`, "content-type: application/json"])
  ]
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join("\r\n")}\r\n`
  if (body === undefined) return `${head}\r\n`
  const sent = given === undefined ? body : withKey(body, key)
  return `${head}content-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`
}
