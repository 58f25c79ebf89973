import { makeFullProduct, idOf, installationAt, PRODUCTS, storeOf, tokenOf } from "../seed/population.ts"
import type { Request } from "./wire.ts"

/* Requests to RPC with a merchant's session, and to MCP with an agent's token. */

/** Placeholder of the idempotency key. */
const KEY = "$key"

const makeCall = (request: Request, head: ReadonlyArray<string>, message: object): Request => ({
  ...request,
  method: "POST",
  head,
  body: `${JSON.stringify(message)}\n`
})

const storeAt = (n: number) => {
  const installation = installationAt("shared", n)
  const store = storeOf(installation)
  return { installation, store, storeId: idOf("store", 0, store) }
}

const product = (n: number) => ({ ...makeFullProduct(0), name: `Bench product ${n}`, sku: `BENCH-${n}` })

export const rpcCreate = (n: number): Request => {
  const { installation, storeId } = storeAt(n)
  return makeCall(
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

export const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

const tool = (n: number, name: string, args: object): Request => {
  const { installation } = storeAt(n)
  return makeCall(
    { method: "POST", path: "/mcp", installation },
    [
      `authorization: Bearer ${tokenOf(installation)}`,
      "content-type: application/json",
      "accept: application/json, text/event-stream",
      "mcp-protocol-version: 2026-07-28",
      "mcp-method: tools/call",
      `mcp-name: ${name}`
    ],
    { jsonrpc: "2.0", id: n, method: "tools/call", params: { name, arguments: args, _meta: MCP_META } }
  )
}

export const mcpGet = (n: number): Request =>
  tool(n, "products_get", { id: idOf("product", storeAt(n).store, n % PRODUCTS) })

export const mcpList = (n: number): Request => tool(n, "products_list", {})

export const mcpCreate = (n: number): Request =>
  tool(n, "products_create", { idempotencyKey: KEY, product: product(n) })

/** Inserts the idempotency key into a body. */
export const withKey = (body: string, key: string): string => body.replace(KEY, key)
