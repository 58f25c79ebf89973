import { mcpCreate, mcpGet, mcpList, rpcCreate, withKey } from "./procedureRequests.ts"
import { exchange, refresh } from "./tokenRequests.ts"
import type { Request } from "./wire.ts"
import {
  MEDIUM_STORE,
  entryKey,
  entryValue,
  makeFullProduct,
  type Group,
  idOf,
  installationAt,
  INSTALLATIONS,
  PRODUCTS,
  storeOf,
  tokenOf,
  LARGE_STORE
} from "../seed/population.ts"

const API = "/api/platform/v1"

const get = (group: Group, n: number, path: string): Request => ({
  method: "GET",
  path: `${API}${path}`,
  installation: installationAt(group, n)
})

/** JSON of a full product, split where each request inserts its number. */
const [before = "", between = "", after = ""] = JSON.stringify({
  ...makeFullProduct(0),
  name: "Bench product @",
  sku: "BENCH-@"
}).split("@")

const create = (n: number): Request => ({
  ...get("shared", n, "/products"),
  method: "POST",
  body: `${before}${n}${between}${n}${after}`
})

/** Updates all products of all stores in turn. Each request changes the product. */
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

/** Changes the stock of the products in the same order. */
const inventory = (n: number): Request => ({
  ...update(n),
  path: `${update(n).path}/inventory`,
  body: '{"adjust":1}'
})

/** Reads the entries of all installations in turn. */
const entry = (n: number): Request =>
  get("shared", n, `/app-data/settings?key=${entryKey(Math.floor(n / INSTALLATIONS.shared.count))}`)

const putEntry = (n: number): Request => ({
  ...get("shared", n, "/app-data/settings"),
  method: "PUT",
  body: `{"key":"${entryKey(Math.floor(n / INSTALLATIONS.shared.count))}","value":${entryValue(n)}}`
})

const collection = (n: number) =>
  get("deep", n, `/collections/${idOf("collection", MEDIUM_STORE.store, n % MEDIUM_STORE.collections)}`)

const LAST_PAGE = `/products?limit=50&cursor=${idOf("product", LARGE_STORE.store, LARGE_STORE.products - 51)}`

/** Mix of reads and writes. 21 and the number of stores have no common factor, so each store gets each kind. */
const MIX = [..."lslwlscplpslwlscplpsw"]

/** Makes the n-th request of each kind. */
export const REQUESTS = {
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
        return REQUESTS.list(n)
      case "s":
        return REQUESTS.listFew(n)
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

export type RequestKind = keyof typeof REQUESTS

export const formatRequest = (
  { body, head: customHead, installation, method, path }: Request,
  port: number,
  key: string
): string => {
  const lines = customHead ?? [
    `authorization: Bearer ${tokenOf(installation)}`,
    ...(body === undefined ? [] : [`idempotency-key: ${key}`, "content-type: application/json"])
  ]
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join("\r\n")}\r\n`
  if (body === undefined) return `${head}\r\n`
  const sent = customHead === undefined ? body : withKey(body, key)
  return `${head}content-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`
}
