import { fullProduct, idOf, installationAt, PRODUCTS, storeOf, tokenOf } from "./population.ts"
import type { Request } from "./works.ts"

/* Calls of the second and the third surface: by a merchant's session, and by an agent's token. */

/** Where a call has the key of its request. */
const KEY = "$key"

const called = (request: Request, head: ReadonlyArray<string>, message: object): Request => ({
  ...request,
  method: "POST",
  head,
  body: `${JSON.stringify(message)}\n`
})

const placeOf = (n: number) => {
  const installation = installationAt("shared", n)
  const store = storeOf(installation)
  return { installation, store, storeId: idOf("store", 0, store) }
}

const product = (n: number) => ({ ...fullProduct(0), name: `Bench product ${n}`, sku: `BENCH-${n}` })

export const rpcCreate = (n: number): Request => {
  const { installation, storeId } = placeOf(n)
  return called(
    { method: "POST", path: "/rpc", installation },
    [`cookie: session=${tokenOf(installation)}`, "content-type: application/ndjson"],
    {
      _tag: "Request",
      id: "1",
      tag: "products.create",
      payload: { storeId, idempotencyKey: KEY, product: product(n) }
    }
  )
}

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

const tool = (n: number, name: string, args: object): Request => {
  const { installation } = placeOf(n)
  return called(
    { method: "POST", path: "/mcp", installation },
    [
      `authorization: Bearer ${tokenOf(installation)}`,
      "content-type: application/json",
      "accept: application/json, text/event-stream",
      "mcp-protocol-version: 2026-07-28",
      "mcp-method: tools/call",
      `mcp-name: ${name}`
    ],
    { jsonrpc: "2.0", id: n, method: "tools/call", params: { name, arguments: args, _meta: META } }
  )
}

export const mcpGet = (n: number): Request =>
  tool(n, "products_get", { id: idOf("product", placeOf(n).store, n % PRODUCTS) })

export const mcpList = (n: number): Request => tool(n, "products_list", {})

export const mcpCreate = (n: number): Request =>
  tool(n, "products_create", { idempotencyKey: KEY, product: product(n) })

/** A body with the key of its request. */
export const withKey = (body: string, key: string): string => body.replace(KEY, key)
