import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { callTool, freshAgent, messageOf, send } from "../../support/rpc/Mcp.ts"
import { newKey } from "../../support/rpc/Rpc.ts"

const reasonOf = (text: string): unknown => JSON.parse(text).error

const keyed = () => ({ idempotencyKey: randomUUID() })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Invalid MCP requests", (it) => {
  it.effect("/mcp accepts only POST with an agent token, and no foreign origin", () =>
    Effect.gen(function* () {
      const { agent, client, cookie, storeId, token } = yield* freshAgent()
      const { body, headers } = messageOf("tools/list")
      const statusOf = (more: Record<string, string>) =>
        Effect.map(send({ body, headers: { ...headers, ...more } }), ({ status }) => status)
      const authorization = `Bearer ${token}`

      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const response = yield* send({ method, headers: { authorization } })
        assert.strictEqual(response.status, 405, method)
        assert.strictEqual(response.headers.get("allow"), "POST")
      }
      for (const foreign of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" }
      ]) {
        assert.strictEqual(yield* statusOf({ ...foreign, authorization }), 403, JSON.stringify(foreign))
      }
      assert.strictEqual(yield* statusOf({ origin: yield* baseUrl, authorization }), 200)
      assert.strictEqual(yield* statusOf({ authorization: `bearer   ${token}` }), 200)
      assert.strictEqual(yield* statusOf({ "content-type": "application/json;", authorization }), 200)

      const invalidCredentials = [
        {},
        { cookie },
        { authorization: `Basic ${token}` },
        { authorization: "Bearer nobody" },
        { authorization: `Bearer ${token}x` },
        { authorization: `Bearer ${cookie.replace("session=", "")}` },
        { "mcp-session-id": token }
      ]
      for (const credentials of invalidCredentials) {
        const response = yield* send({ body, headers: { ...headers, ...credentials } })
        assert.strictEqual(response.status, 401, JSON.stringify(credentials))
        assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer .*resource_metadata="http/)
      }
      yield* client.agents.revoke({ storeId, idempotencyKey: newKey(), id: agent.id })
      assert.strictEqual(yield* statusOf({ authorization }), 401)
    })
  )

  it.effect("a body that is too large or no valid message is rejected before any write", () =>
    Effect.gen(function* () {
      const { client, storeId, token } = yield* freshAgent()
      const { body, headers } = messageOf("tools/call", {
        name: "products_create",
        arguments: { ...keyed(), product: { name: "Cup" } }
      })
      const authorized = { ...headers, authorization: `Bearer ${token}` }
      const large = yield* send({ body: body + " ".repeat(12 * 1024 * 1024), headers: authorized })
      assert.strictEqual(large.status, 413)

      const bodies: Record<string, string | Uint8Array<ArrayBuffer>> = {
        "no content": "",
        "invalid JSON": body.slice(0, -1),
        "a string": '"tools/call"',
        null: "null",
        "many messages": `[${body},${body}]`,
        "invalid UTF-8": new Uint8Array([0x22, 0xff, 0x22]),
        "a forbidden key": '{"__proto__":1}',
        "a number that no double holds": body.replace('"Cup"', '"Cup","price":0.1234567890123456789'),
        "too much nesting": `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`
      }
      for (const [name, body] of Object.entries(bodies)) {
        const response = yield* send({ body, headers: authorized })
        assert.strictEqual(response.status, 400, name)
        assert.isString(reasonOf(response.text), name)
      }
      const { "content-type": _, ...withoutContentType } = authorized
      for (const more of [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }]) {
        const response = yield* send({ body, headers: { ...authorized, ...more } })
        assert.strictEqual(response.status, 400)
      }
      assert.strictEqual(
        (yield* send({ body: new TextEncoder().encode(body), headers: withoutContentType })).status,
        400
      )

      const messages = [
        {},
        { jsonrpc: "2.0" },
        { jsonrpc: "1.0", id: 1, method: "tools/list" },
        { jsonrpc: "2.0", id: {}, method: "tools/list" },
        { jsonrpc: "2.0", id: null, method: "tools/list" },
        { jsonrpc: "2.0", id: 1, method: 5 },
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        { jsonrpc: "2.0", id: 1, method: "tools/call" },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 5 } },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "products_create", arguments: [] } },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "__proto__", arguments: {} } },
        { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} },
        { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} },
        { jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
        { jsonrpc: "2.0", id: 1, method: "constructor" }
      ]
      for (const version of [{}, { "mcp-protocol-version": "2025-06-18" }, { "mcp-protocol-version": "1999-01-01" }]) {
        const { accept, authorization } = authorized
        const rest = { accept, authorization, "content-type": "application/json" }
        for (const message of messages) {
          const { status, text } = yield* send({ body: JSON.stringify(message), headers: { ...rest, ...version } })
          assert.include([200, 202, 400], status, `${JSON.stringify(message)}: ${text}`)
          assert.notInclude(text, '"result":{', JSON.stringify(message))
        }
      }
      assert.deepStrictEqual(yield* client.products.list({ storeId }), { items: [], nextCursor: null })
    })
  )

  it.effect("subscriptions/listen fails and opens no stream", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { body, headers } = messageOf("subscriptions/listen", { notifications: { toolsListChanged: true } })
      const { text } = yield* send({ body, headers: { ...headers, authorization: `Bearer ${token}` } })
      assert.include(text, '"error"')
    })
  )

  it.effect("tools reject a storeId", () =>
    Effect.gen(function* () {
      const { storeId, token } = yield* freshAgent()
      for (const name of ["products_list", "collections_list"]) {
        const rejected = yield* callTool(token, name, { storeId })
        assert.include(rejected.content[0].text, "storeId: is not a field that can be set")
      }
    })
  )

  it.effect("concurrent calls of two agents each read their own store", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* freshAgent(), yield* freshAgent()]
      const readsOwnStore = ({ storeId, token }: typeof one) =>
        Effect.map(callTool(token, "store_get", {}), ({ structuredContent }) => structuredContent["id"] === storeId)
      const results = yield* Effect.all(
        Array.from({ length: 100 }, (_, index) => readsOwnStore(index % 2 === 0 ? one : two)),
        { concurrency: 40 }
      )
      assert.deepStrictEqual([...new Set(results)], [true])
    })
  )

  it.effect("every request counts in the call window of its agent, also tools/list", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent({ window: 3 })
      const { body, headers } = messageOf("tools/list")
      const statuses = yield* Effect.all(
        Array.from({ length: 5 }, () => send({ body, headers: { ...headers, authorization: `Bearer ${token}` } }))
      )
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [200, 200, 200, 429, 429]
      )
      assert.match(statuses.at(-1)?.headers.get("retry-after") ?? "", /^[1-9]\d?$/)
    })
  )

  it.effect("a write repeated with its key is performed once; another payload fails with KeyReused", () =>
    Effect.gen(function* () {
      const { agent, client, storeId, token } = yield* freshAgent()
      const idempotencyKey = newKey()
      const write = { idempotencyKey, product: { name: "Cup" } }
      const first = yield* callTool(token, "products_create", write)
      const again = yield* callTool(token, "products_create", write)
      assert.deepStrictEqual(again.structuredContent, first.structuredContent)
      const other = yield* callTool(token, "products_create", { ...write, product: { name: "Mug" } })
      assert.deepInclude(other.structuredContent["error"], { _tag: "KeyReused" })
      const { items } = yield* client.products.list({ storeId })
      assert.lengthOf(items, 1)
      assert.isString(agent.id)
    })
  )
})
