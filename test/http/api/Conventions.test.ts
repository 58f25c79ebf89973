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

const NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Every route of the catalog, with a scope that it asks for. */
const ROUTES: ReadonlyArray<readonly [method: string, path: string, scope: Scope]> = [
  ["GET", "/products", "read_products"],
  ["POST", "/products", "write_products"],
  ["PATCH", `/products/${NOWHERE}`, "write_products"],
  ["PATCH", `/products/${NOWHERE}/inventory`, "write_inventory"],
  ["DELETE", `/products/${NOWHERE}`, "write_products"],
  ["GET", "/collections", "read_collections"],
  ["GET", `/collections/${NOWHERE}`, "read_collections"],
  ["POST", "/collections", "write_collections"],
  ["PATCH", `/collections/${NOWHERE}`, "write_collections"],
  ["DELETE", `/collections/${NOWHERE}`, "write_collections"]
]

const SCOPES: ReadonlyArray<Scope> = ["read_products", "write_products", "read_collections", "write_collections"]

const ask = (client: Client, [method, path]: (typeof ROUTES)[number]) =>
  client.send(
    method,
    path,
    method === "POST" || method === "PATCH" ? { body: { name: "Cup", title: "Cups", stock: 1 } } : {}
  )

/** Status and shape of a refusal: JSON of one form, and no header of a rate limit. */
const assertRefused = (answer: Answer, status: number, said = "") => {
  assert.strictEqual(answer.status, status, `${said} ${answer.text}`)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.isNotEmpty(errorOf(answer).error)
  assertNoLimitHeader(answer)
}

const assertNoLimitHeader = ({ headers }: Answer) => {
  const telling = [...headers.keys()].filter((name) => /rate-?limit|retry-after/i.test(name))
  assert.deepStrictEqual(telling, [])
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Conventions", (it) => {
  it.effect("a create answers 201, every other success 200, each with a JSON body", () =>
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
      for (const answer of [created, ...others]) {
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assertNoLimitHeader(answer)
      }
    })
  )

  it.effect.each(ROUTES)("%s %s without a good token is 401 and says how to send one", (route) =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient()
      const bad = [undefined, "", "Bearer", "Bearer ", "Bearer x", `Bearer ${client.token}x`, `Bearer  ${client.token}`]
      const other = [`${client.token}`, `Basic ${client.token}`, `Digest ${client.token}`, `Xearer ${client.token}`]
      for (const authorization of [...bad, ...other]) {
        const headers = authorization === undefined ? {} : { authorization }
        const [method, path] = route
        const refused = yield* makeClient(base).send(method, path, { headers, key: null })
        assertRefused(refused, 401, authorization)
        assert.strictEqual(refused.headers.get("www-authenticate"), "Bearer")
      }
    })
  )

  it.effect("the scheme of the token is written in any case", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        const answer = yield* client.get("/products", { headers: { authorization: `${scheme} ${client.token}` } })
        assert.strictEqual(answer.status, 200)
      }
    })
  )

  it.effect("an expired token is 401, by the database's clock", () =>
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

  it.effect.each(ROUTES)("%s %s of an installation that is suspended is 403", (route) =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* suspend(installation)
      const refused = yield* ask(client, route)
      assertRefused(refused, 403)
      assert.match(errorOf(refused).error, /is suspended; a member of the store can resume it/)
    })
  )

  it.effect.each(ROUTES)("%s %s of a store that was deleted is 404", (route) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      yield* sql`update stores set deleted_at = now() where id = ${storeId}`
      const refused = yield* ask(client, route)
      assertRefused(refused, 404)
      assert.match(errorOf(refused).error, /store/i)
    })
  )

  it.effect.each(ROUTES)("%s %s asks for one scope, which alone is enough, and names it when it is missing", (route) =>
    Effect.gen(function* () {
      const [method, , scope] = route
      const others = SCOPES.filter(
        (other) => other !== scope && !(scope === "write_inventory" && other === "write_products")
      )
      const without = yield* freshClient({ scopes: others })
      const refused = yield* ask(without.client, route)
      assertRefused(refused, 403)
      assert.include(errorOf(refused).error, scope)

      const alone = yield* freshClient({ scopes: [scope] })
      const { status } = yield* ask(alone.client, route)
      assert.strictEqual(status, route[1].includes(NOWHERE) ? 404 : method === "POST" ? 201 : 200)
    })
  )

  it.effect("a request with everything wrong is told its faults in order, as they are mended one after another", () =>
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
      const bad = { body: "{", key: null, headers: { "if-match": "nonsense" } }
      const send = (who: Client, path: string, sent: object) => who.send("PATCH", path, { ...bad, ...sent })
      const worst = (who = client) => send(who, "/products/none?limit=x", {})

      assertRefused(yield* worst(makeClient(base, "wrong")), 401)
      assert.match(errorOf(yield* worst()).error, /is suspended; a member of the store can resume it/)
      assert.strictEqual((yield* worst()).status, 403)

      yield* sql`update installations set is_active = true where id = ${installation.id}`
      assertRefused(yield* worst(), 404)

      yield* sql`update stores set deleted_at = null where id = ${storeId}`
      assertRefused(yield* worst(), 429)

      yield* sql`update rate_windows set hits = '{}' where installation_id = ${installation.id}`
      assertRefused(yield* worst(), 403)

      yield* sql`update installations set scopes = '{write_products}' where id = ${installation.id}`
      assert.strictEqual(errorOf(yield* worst()).error, "missing_key")
      assert.strictEqual(errorOf(yield* send(client, "/products/none", { key: "not visible" })).error, "invalid_key")

      // Malformed all, which of them is told first is free: id, body, condition.
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

  it.effect("an unknown path or method is 404 in the one shape, with a token and without", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
      const unknown = [
        ["GET", `/products/${id}`],
        ["GET", `/products/${NOWHERE}`],
        ["GET", "/products/x"],
        ["PUT", `/products/${id}`],
        ["POST", `/products/${id}`],
        ["PUT", "/products"],
        ["PATCH", "/products"],
        ["DELETE", "/products"],
        ["OPTIONS", "/products"],
        ["GET", `/orders/${NOWHERE}`],
        ["GET", `/customers/${NOWHERE}`],
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
        for (const who of [client, makeClient(base)])
          assertRefused(yield* who.send(method, path), 404, `${method} ${path}`)
      }
      assert.strictEqual(pageOf(yield* client.get("/products")).items.length, 1)
    })
  )

  it.effect("a store is never taken from the request", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const other = yield* freshClient()
      const headers = { "x-store-id": other.storeId, "store-id": other.storeId }
      const body = { name: "Mine", storeId: other.storeId, store_id: other.storeId, store: { id: other.storeId } }
      const created = yield* client.post(`/products?storeId=${other.storeId}&store=${other.storeId}`, body, { headers })
      assert.strictEqual(created.status, 201)
      assert.deepStrictEqual(pageOf(yield* client.get(`/products?store=${other.storeId}`, { headers })).items, [
        dataOf(created)
      ])
      assert.deepStrictEqual(pageOf(yield* other.client.get(`/products?storeId=${storeId}`)).items, [])
    })
  )

  it.effect("no answer tells limit, remainder or waiting time, a 429 neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      assertNoLimitHeader(yield* client.get("/products"))
      yield* sql`
        update rate_windows set hits = array_fill(clock_micros(), array[100]) where installation_id = ${installation.id}
      `
      for (const route of ROUTES) {
        const refused = yield* ask(client, route)
        assertRefused(refused, 429)
        assert.deepStrictEqual(refused.json, { error: "Rate limit exceeded" })
      }
    })
  )
})
