import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { type Grants, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Capability } from "../../../src/domain/access/Capability.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { ApiTest, baseUrl, dataOf, freshClient, install, makeClient, type Sent } from "../../support/http/Api.ts"
import { fillAppData } from "../../support/data/AppData.ts"
import {
  type Documented,
  exampleOf,
  generated,
  operations,
  requestsOf,
  undocumented
} from "../../support/http/OpenApi.ts"

const bodyOf = ({ method }: Documented): Sent => (method === "GET" || method === "DELETE" ? {} : { body: {} })
const addressOf = ({ path }: Documented) => path.replace("{id}", randomUUID()).replace("{namespace}", "settings")

const ifMatch = (tag: string) => ({ headers: { "if-match": tag } })

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"
const ABSENT = "019c1363-49c0-7b3e-a1c8-6f24d09e7b51"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The document and the service", (it) => {
  it.effect("the document that is served is the one that the definitions make", () =>
    Effect.gen(function* () {
      const answer = yield* makeClient(yield* baseUrl).get(`${yield* baseUrl}/openapi.json`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(answer.json, generated)
    })
  )

  it.effect("every documented path is there: without a token it answers 401, not the 404 of an unknown path", () =>
    Effect.gen(function* () {
      const client = makeClient(yield* baseUrl)
      for (const operation of operations) {
        const answer = yield* client.send(operation.method, addressOf(operation), bodyOf(operation))
        assert.strictEqual(answer.status, 401, operation.name)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        assert.deepStrictEqual(undocumented(operation.name, answer), [])
      }
    })
  )

  it.effect("what stands with an operation is what it asks for", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      for (const operation of operations) {
        const send = (granted: Grants) =>
          Effect.flatMap(install(storeId, granted), ({ client }) =>
            client.send(operation.method, addressOf(operation), bodyOf(operation))
          )
        const scopes = Scope.literals.filter((scope) => operation["x-scope"]?.split(" ").includes(scope))
        const capabilities = Capability.literals.filter((capability) => capability === operation["x-capability"])
        const enough: ReadonlyArray<Grants> = [
          ...scopes.map((scope) => ({ ...NO_GRANTS, scopes: [scope] })),
          ...capabilities.map((capability) => ({ ...NO_GRANTS, capabilities: [capability] }))
        ]
        for (const granted of enough.length > 0 ? enough : [NO_GRANTS]) {
          const admitted = yield* send(granted)
          assert.notInclude([401, 403], admitted.status, operation.name)
          assert.deepStrictEqual(undocumented(operation.name, admitted), [])
        }
        if (enough.length === 0) continue
        const refused = yield* send({
          scopes: Scope.literals.filter((scope) => !scopes.includes(scope)),
          capabilities: Capability.literals.filter((capability) => !capabilities.includes(capability))
        })
        assert.strictEqual(refused.status, 403, operation.name)
        const example = scopes.length > 0 ? "ScopeNotGranted" : "CapabilityNotGranted"
        assert.deepStrictEqual(refused.json, exampleOf(operation.name, 403, example))
      }
    })
  )

  it.effect("what the service answers is what the document says, headers and bodies", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.deepStrictEqual(undocumented("GET /store", yield* client.get("/store")), [])
      const strict = { headers: { prefer: "handling=strict" } }
      const products = yield* Effect.forEach(requestsOf("POST /products"), (body) =>
        client.post("/products", body, strict)
      )
      const rehearsed = yield* client.post("/products", { name: "Cup" }, { headers: { prefer: "handling=dry-run" } })
      assert.deepStrictEqual(undocumented("POST /products", rehearsed), [])
      for (const answer of products) {
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(answer.headers.get("etag"), '"1"')
        assert.deepStrictEqual(undocumented("POST /products", answer), [])
      }
      const { id } = products.map(dataOf)[0] ?? {}
      for (const body of requestsOf("PATCH /products/{id}")) {
        const answer = yield* client.patch(`/products/${String(id)}`, body)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(undocumented("PATCH /products/{id}", answer), [])
      }
      for (const body of requestsOf("PATCH /products/{id}/inventory")) {
        const answer = yield* client.patch(`/products/${String(id)}/inventory`, body)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(undocumented("PATCH /products/{id}/inventory", answer), [])
      }

      for (const body of requestsOf("PUT /app-data/{namespace}")) {
        const answer = yield* client.put("/app-data/settings", body)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(undocumented("PUT /app-data/{namespace}", answer), [])
      }
      for (const query of ["", "?key=theme"]) {
        const answer = yield* client.get(`/app-data/settings${query}`)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(undocumented("GET /app-data/{namespace}", answer), [])
      }
      const removed = yield* client.delete("/app-data/settings?key=theme")
      assert.deepStrictEqual(removed.json, exampleOf("DELETE /app-data/{namespace}", 200, "Answer"))

      const collections = yield* Effect.forEach(requestsOf("POST /collections"), (body) =>
        client.post("/collections", body)
      )
      for (const answer of collections) {
        assert.strictEqual(answer.status, 201)
        assert.deepStrictEqual(undocumented("POST /collections", answer), [])
      }
      const collection = String(dataOf(collections[0] ?? assert.fail("none"))["id"])
      const path = `/collections/${collection}`
      for (const name of ["GET /products", "GET /collections"]) {
        assert.deepStrictEqual(undocumented(name, yield* client.get(name.slice(4))), [])
      }
      assert.deepStrictEqual(undocumented("GET /collections/{id}", yield* client.get(path)), [])
      const key = randomUUID()
      for (const replayed of [null, "true"]) {
        const answer = yield* client.patch(path, { title: "Oak" }, { key })
        assert.strictEqual(answer.headers.get("idempotent-replayed"), replayed)
        assert.deepStrictEqual(undocumented("PATCH /collections/{id}", answer), [])
      }
      assert.deepStrictEqual(undocumented("DELETE /collections/{id}", yield* client.delete(path)), [])
      const deleted = yield* client.delete(`/products/${String(id)}`)
      assert.deepStrictEqual(undocumented("DELETE /products/{id}", deleted), [])
    })
  )

  it.effect("the refusals that the document shows are the service's own words", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      yield* fillAppData(installation, 10_000, 10_000)
      const product = dataOf(yield* client.post("/products", { name: "Cup", slug: "oak" }))
      const collection = dataOf(yield* client.post("/collections", { title: "Cups", slug: "oak" }))
      const at = {
        product: `/products/${String(product["id"])}`,
        collection: `/collections/${String(collection["id"])}`
      }
      const large = { name: "Large", metafields: { text: "a".repeat(1_048_400) } }
      for (const stock of [1, 3]) yield* client.patch(at.product, { stock })
      for (const title of ["A", "B"]) yield* client.patch(at.collection, { title })

      const badProduct = { name: "Cup", price: -1, variants: [{ stock: -1 }] }
      const [mistaken, tooMany] = [{ stock: 1, expectedStock: 2 }, { adjust: -4 }]
      const strange = { adjust: 1, variantId: UNKNOWN }
      const badEntry = { key: "", value: 1, ttlSeconds: 0 }
      const badCollection = { title: "Cups", rules: [{ field: "onSale", relation: "contains", value: true }] }
      const refused: ReadonlyArray<readonly [string, number, string, string, Sent]> = [
        ["GET /products", 400, "InvalidLimit", "/products?limit=0", {}],
        ["GET /products", 400, "InvalidCursor", "/products?cursor=last", {}],
        ["POST /products", 400, "KeyMissing", "/products", { body: { name: "Cup" }, key: null }],
        ["POST /products", 400, "KeyMalformed", "/products", { body: { name: "Cup" }, key: "a b" }],
        ["POST /products", 400, "InvalidJson", "/products", { body: "{" }],
        ["POST /products", 400, "InvalidFields", "/products", { body: badProduct }],
        ["POST /products", 422, "SlugTaken", "/products", { body: { name: "Cup", slug: "oak" } }],
        ["POST /products", 422, "ProductTooLarge", "/products", { body: large }],
        ["PATCH /products/{id}", 400, "InvalidId", "/products/7", { body: {} }],
        ["PATCH /products/{id}", 400, "InvalidFields", at.product, { body: badProduct }],
        ["PATCH /products/{id}", 400, "InvalidCondition", at.product, { body: {}, ...ifMatch("3") }],
        ["PATCH /products/{id}", 404, "ProductNotFound", `/products/${UNKNOWN}`, { body: {} }],
        ["PATCH /products/{id}", 412, "VersionMismatch", at.product, { body: {}, ...ifMatch('"1"') }],
        ["PATCH /products/{id}/inventory", 400, "InvalidFields", `${at.product}/inventory`, { body: {} }],
        ["PATCH /products/{id}/inventory", 412, "StockMismatch", `${at.product}/inventory`, { body: mistaken }],
        ["PATCH /products/{id}/inventory", 422, "StockOutOfRange", `${at.product}/inventory`, { body: tooMany }],
        ["PATCH /products/{id}/inventory", 422, "VariantNotFound", `${at.product}/inventory`, { body: strange }],
        ["DELETE /products/{id}", 412, "VersionMismatch", at.product, ifMatch('"1"')],
        ["DELETE /products/{id}", 404, "ProductNotFound", `/products/${UNKNOWN}`, {}],
        ["GET /collections", 400, "InvalidLimit", "/collections?limit=x", {}],
        ["GET /orders", 400, "InvalidLimit", "/orders?limit=0", {}],
        ["GET /orders", 400, "InvalidCursor", "/orders?cursor=last", {}],
        ["GET /orders", 400, "InvalidTime", "/orders?updatedSince=yesterday", {}],
        ["GET /customers", 400, "InvalidLimit", "/customers?limit=0", {}],
        ["GET /customers", 400, "InvalidCursor", "/customers?cursor=last", {}],
        ["GET /customers", 400, "InvalidTime", "/customers?updatedSince=2026-01-31", {}],
        ["GET /collections/{id}", 400, "InvalidId", "/collections/7", {}],
        ["GET /collections/{id}", 404, "CollectionNotFound", `/collections/${ABSENT}`, {}],
        ["POST /collections", 400, "InvalidFields", "/collections", { body: badCollection }],
        ["POST /collections", 422, "SlugTaken", "/collections", { body: { title: "Cups", slug: "oak" } }],
        [
          "POST /collections",
          422,
          "UnknownProducts",
          "/collections",
          { body: { title: "Cups", productIds: [product["id"], UNKNOWN] } }
        ],
        ["PATCH /collections/{id}", 412, "VersionMismatch", at.collection, { body: {}, ...ifMatch('"1"') }],
        ["DELETE /collections/{id}", 400, "InvalidCondition", at.collection, ifMatch("3")],
        ["PUT /app-data/{namespace}", 400, "InvalidFields", "/app-data/settings", { body: badEntry }],
        ["PUT /app-data/{namespace}", 422, "AppDataFull", "/app-data/settings", { body: { key: "theme", value: 1 } }],
        ["GET /app-data/{namespace}", 400, "InvalidLimit", "/app-data/settings?limit=0", {}],
        ["GET /app-data/{namespace}", 404, "AppDataNotFound", "/app-data/settings?key=theme", {}],
        ["DELETE /app-data/{namespace}", 400, "NoKey", "/app-data/settings", {}],
        ["DELETE /app-data/{namespace}", 404, "AppDataNotFound", "/app-data/settings?key=theme", {}]
      ]
      for (const [name, status, example, path, sent] of refused) {
        const answer = yield* client.send(name.slice(0, name.indexOf(" ")), path, sent)
        assert.strictEqual(answer.status, status, `${name} ${example}: ${answer.text}`)
        assert.deepStrictEqual(answer.json, exampleOf(name, status, example), `${name} ${example}`)
        assert.deepStrictEqual(undocumented(name, answer), [], `${name} ${example}`)
      }

      // The event that the document names, as the tenth of a chain.
      const example = exampleOf("POST /products", 422, "EventLoop")
      const [event = ""] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(JSON.stringify(example)) ?? []
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into events (store_id, id, kind, occurred_at, actor_type, hops, resource_id, resource_version, payload)
        values (${storeId}, ${event}, 'catalog.product.updated.v1', now(), 'merchant', 10, ${String(product["id"])}, 1, '{}')
      `
      const answering = { headers: { "x-service-event-id": event } }
      const looping = yield* client.post("/products", { name: "Mug" }, answering)
      assert.deepStrictEqual(looping.json, example)

      const key = randomUUID()
      yield* client.post("/products", { name: "One" }, { key })
      const reused = yield* client.post("/products", { name: "Two" }, { key })
      assert.deepStrictEqual(reused.json, exampleOf("POST /products", 409, "KeyReused"))
      assert.deepStrictEqual(undocumented("POST /products", reused), [])
    })
  )

  it.effect("too many requests answer as the document shows", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const get = client.get("/collections")
      yield* Effect.all(
        Array.from({ length: 100 }, () => get),
        { concurrency: 10, discard: true }
      )
      const refused = yield* get
      assert.strictEqual(refused.status, 429)
      assert.deepStrictEqual(refused.json, exampleOf("GET /collections", 429, "RateLimitExceeded"))
      assert.deepStrictEqual(undocumented("GET /collections", refused), [])
    })
  )
})
