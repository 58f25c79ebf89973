import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import {
  type Answer,
  ApiTest,
  baseUrl,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  makeClient,
  pageOf
} from "../../support/http/Api.ts"
import { suspend } from "../../support/data/Writes.ts"

const UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Every catalog route, with a scope that it requires. */
const ROUTES: ReadonlyArray<readonly [method: string, path: string, scope: Scope]> = [
  ["GET", "/products", "read_products"],
  ["POST", "/products", "write_products"],
  ["PATCH", `/products/${UNKNOWN_ID}`, "write_products"],
  ["PATCH", `/products/${UNKNOWN_ID}/inventory`, "write_inventory"],
  ["DELETE", `/products/${UNKNOWN_ID}`, "write_products"],
  ["GET", "/collections", "read_collections"],
  ["GET", `/collections/${UNKNOWN_ID}`, "read_collections"],
  ["POST", "/collections", "write_collections"],
  ["PATCH", `/collections/${UNKNOWN_ID}`, "write_collections"],
  ["DELETE", `/collections/${UNKNOWN_ID}`, "write_collections"]
]

const sendRoute = (client: Client, [method, path]: (typeof ROUTES)[number]) =>
  client.send(
    method,
    path,
    method === "POST" || method === "PATCH" ? { body: { name: "Cup", title: "Cups", stock: 1 } } : {}
  )

/** Asserts the status, the JSON error body and the absence of rate limit headers. */
const assertRefused = (response: Answer, status: number, label = "") => {
  assert.strictEqual(response.status, status, `${label} ${response.text}`)
  assert.strictEqual(response.headers.get("content-type"), "application/json")
  assert.isNotEmpty(errorOf(response).error)
  assertNoLimitHeader(response)
}

const assertNoLimitHeader = ({ headers }: Answer) => {
  const limitHeaders = [...headers.keys()].filter((name) => /rate-?limit|retry-after/i.test(name))
  assert.deepStrictEqual(limitHeaders, [])
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("API conventions", (it) => {
  it.effect("a create returns 201 and every other success 200, each with a JSON body", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const created = yield* client.post("/products", { name: "Cup" })
      const { id } = dataOf(created)
      const others = [
        yield* client.get("/products"),
        yield* client.patch(`/products/${id}`, { price: 1 }),
        yield* client.patch(`/products/${id}`, {}),
        yield* client.delete(`/products/${id}`)
      ]
      assert.deepStrictEqual(
        [created, ...others].map(({ status }) => status),
        [201, 200, 200, 200, 200]
      )
      for (const response of [created, ...others]) {
        assert.strictEqual(response.headers.get("content-type"), "application/json")
        assertNoLimitHeader(response)
      }
    })
  )

  it.effect.each(ROUTES)("%s %s without a valid token returns 401 with WWW-Authenticate: Bearer", (route) =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient()
      const invalid = [
        undefined,
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        `Bearer ${client.token}x`,
        `Bearer\t${client.token}`,
        `Bearer ${client.token} x`
      ]
      const other = [`${client.token}`, `Basic ${client.token}`, `Digest ${client.token}`, `Xearer ${client.token}`]
      for (const authorization of [...invalid, ...other]) {
        const headers = authorization === undefined ? {} : { authorization }
        const [method, path] = route
        const refused = yield* makeClient(base).send(method, path, { headers, key: null })
        assertRefused(refused, 401, authorization)
        assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      }
    })
  )

  it.effect("the scheme of the Authorization header is case-insensitive, and any number of spaces follow it", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer ", "bearer   "]) {
        const response = yield* client.get("/products", { headers: { authorization: `${scheme} ${client.token}` } })
        assert.strictEqual(response.status, 200, `"${scheme}"`)
      }
    })
  )

  it.effect("a token that expired by the clock of the database returns 401", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const expireIn = (seconds: number) =>
        sql`
          update access_tokens set expires_at = clock_timestamp() + make_interval(secs => ${seconds})
          where installation_id = ${installation.id}
        `
      yield* expireIn(60)
      assert.strictEqual((yield* client.get("/products")).status, 200)
      yield* expireIn(-0.001)
      assertRefused(yield* client.get("/products"), 401)
      assertRefused(yield* client.post("/products", { name: "Cup" }), 401)
    })
  )

  it.effect.each(ROUTES)("%s %s of a suspended installation returns 403", (route) =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* suspend(installation)
      const refused = yield* sendRoute(client, route)
      assertRefused(refused, 403)
      assert.match(errorOf(refused).error, /is suspended; a member of the store can resume it/)
    })
  )

  it.effect.each(ROUTES)("%s %s of a deleted store returns 404", (route) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      yield* sql`update stores set deleted_at = now() where id = ${storeId}`
      const refused = yield* sendRoute(client, route)
      assertRefused(refused, 404)
      assert.match(errorOf(refused).error, /store/i)
    })
  )

  it.effect("a request with several errors returns them one at a time in a fixed order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation, storeId } = yield* freshClient({ scopes: ["read_orders"] })
      const product = dataOf(yield* (yield* freshClient()).client.post("/products", { name: "Theirs" }))
      yield* sql`update installations set is_active = false where id = ${installation.id}`
      yield* sql`update stores set deleted_at = now() where id = ${storeId}`
      yield* sql`
        update rate_windows set hits = array_fill(clock_micros(), array[100]) where installation_id = ${installation.id}
      `
      const base = yield* baseUrl
      const invalid = { body: "{", key: null, headers: { "if-match": "nonsense" } }
      const send = (sender: Client, path: string, sent: object) => sender.send("PATCH", path, { ...invalid, ...sent })
      const sendInvalid = (sender = client) => send(sender, "/products/none?limit=x", {})

      assertRefused(yield* sendInvalid(makeClient(base, "wrong")), 401)
      assert.match(errorOf(yield* sendInvalid()).error, /is suspended; a member of the store can resume it/)
      assert.strictEqual((yield* sendInvalid()).status, 403)

      yield* sql`update installations set is_active = true where id = ${installation.id}`
      assertRefused(yield* sendInvalid(), 404)

      yield* sql`update stores set deleted_at = null where id = ${storeId}`
      assertRefused(yield* sendInvalid(), 429)

      yield* sql`update rate_windows set hits = '{}' where installation_id = ${installation.id}`
      assertRefused(yield* sendInvalid(), 403)

      yield* sql`update installations set scopes = '{write_products}' where id = ${installation.id}`
      assert.match(errorOf(yield* sendInvalid()).issues?.[0] ?? "", /^limit: is not a query parameter/)
      assert.strictEqual(errorOf(yield* send(client, "/products/none", {})).error, "missing_key")
      assert.strictEqual(errorOf(yield* send(client, "/products/none", { key: "not visible" })).error, "invalid_key")

      // Id, body and condition are all malformed. The order of these errors is unspecified.
      assertRefused(yield* send(client, "/products/none", { key: "k" }), 400)
      const path = `/products/${product["id"]}`
      assert.match(errorOf(yield* send(client, path, { key: "k" })).error, /JSON/)
      assert.deepStrictEqual(
        errorOf(yield* send(client, path, { key: "k", body: { price: -1 } })).issues?.map((line) => line.split(":")[0]),
        ["price"]
      )
      assert.match(errorOf(yield* send(client, path, { key: "k", body: {} })).error, /If-Match/)
      assertRefused(yield* send(client, path, { key: "k", body: {}, headers: { "if-match": '"9"' } }), 404)
    })
  )

  it.effect("an unknown path or method returns 404 with the standard error body, with or without a token", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
      const unknown = [
        ["GET", `/products/${id}`],
        ["GET", `/products/${UNKNOWN_ID}`],
        ["GET", "/products/x"],
        ["PUT", `/products/${id}`],
        ["POST", `/products/${id}`],
        ["PUT", "/products"],
        ["PATCH", "/products"],
        ["DELETE", "/products"],
        ["OPTIONS", "/products"],
        ["GET", `/orders/${UNKNOWN_ID}`],
        ["GET", `/customers/${UNKNOWN_ID}`],
        ["GET", `/products/${id}/variants`],
        ["GET", "/billing"],
        ["POST", "/billing"],
        ["POST", "/billing/subscriptions"],
        ["DELETE", "/billing/x/y"],
        ["GET", ""],
        ["GET", "/"],
        ["GET", "/nothing"],
        ["GET", "/products/%ZZ"],
        ["GET", `${base}/api`],
        ["GET", `${base}/api/platform/v2/products`],
        ["GET", `${base}/platform/v1/products`],
        ["GET", `${base}/products`]
      ] as const
      for (const [method, path] of unknown) {
        for (const sender of [client, makeClient(base)])
          assertRefused(yield* sender.send(method, path), 404, `${method} ${path}`)
      }
      assert.strictEqual(pageOf(yield* client.get("/products")).items.length, 1)
    })
  )

  it.effect.each(ROUTES)("%s %s refuses query parameters that it does not have, and names its own", ([method, path]) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [body, own] = [{ name: "Cup", title: "Cups", stock: 1 }, method === "GET" && path.endsWith("s")]
      const query = own ? "?limit=1&updated_since=2026-01-01T00:00:00Z&Limit=2" : "?dryRun=true"
      const refused = yield* client.send(method, `${path}${query}`, method === "GET" ? {} : { body })
      assertRefused(refused, 400)
      const advice = "is not a query parameter of this request"
      assert.deepStrictEqual(
        errorOf(refused).issues,
        own
          ? ["updated_since", "Limit"].map((name) => `${name}: ${advice}; use cursor, limit, ids, range, updatedSince`)
          : [`dryRun: ${advice}; the request takes none`]
      )
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [])
    })
  )

  it.effect("the store is determined by the token, never by the request", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const other = yield* freshClient()
      const headers = { "x-store-id": other.storeId, "store-id": other.storeId }
      const body = { name: "Mine", storeId: other.storeId, store_id: other.storeId, store: { id: other.storeId } }
      const created = yield* client.post("/products", body, { headers })
      assert.strictEqual(created.status, 201)
      assert.deepStrictEqual(pageOf(yield* client.get("/products", { headers })).items, [dataOf(created)])
      assertRefused(yield* client.get(`/products?store=${other.storeId}`), 400)
      assertRefused(yield* client.post(`/products?storeId=${other.storeId}`, body), 400)
      assert.deepStrictEqual(
        pageOf(yield* other.client.get("/products", { headers: { "store-id": storeId } })).items,
        []
      )
    })
  )

  it.effect("no response has rate limit headers, not even a 429", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      assertNoLimitHeader(yield* client.get("/products"))
      yield* sql`
        update rate_windows set hits = array_fill(clock_micros(), array[100]) where installation_id = ${installation.id}
      `
      for (const route of ROUTES) {
        const refused = yield* sendRoute(client, route)
        assertRefused(refused, 429)
        assert.deepStrictEqual(refused.json, { error: "Rate limit exceeded" })
      }
    })
  )
})
