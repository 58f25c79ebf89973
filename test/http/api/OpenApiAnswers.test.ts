import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { type Grants, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Capability } from "../../../src/domain/access/Capability.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { openApi } from "../../../src/http/api/Document.ts"
import { ApiTest, baseUrl, dataOf, freshClient, install, makeClient, type Sent } from "../../support/http/Api.ts"
import { fillAppData } from "../../support/data/AppData.ts"
import { type Documented, exampleOf, operations, requestsOf, undocumentedParts } from "../../support/http/OpenApi.ts"

const bodyOf = ({ method }: Documented): Sent => (method === "GET" || method === "DELETE" ? {} : { body: {} })
const pathOf = ({ path }: Documented) => path.replace("{id}", randomUUID()).replace("{namespace}", "settings")

const ifMatch = (tag: string) => ({ headers: { "if-match": tag } })

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"
const ABSENT = "019c1363-49c0-7b3e-a1c8-6f24d09e7b51"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Responses and the OpenAPI document", (it) => {
  it.effect("GET /openapi.json returns the document generated from the API definition", () =>
    Effect.gen(function* () {
      const origin = yield* baseUrl
      const response = yield* makeClient(origin).get(`${origin}/openapi.json`)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(response.json, JSON.parse(JSON.stringify(openApi(origin))))
      assert.deepInclude(response.json, { servers: [{ url: origin, description: "This server" }] })
    })
  )

  it.effect("every documented path without a token returns 401 instead of 404", () =>
    Effect.gen(function* () {
      const client = makeClient(yield* baseUrl)
      for (const operation of operations) {
        const response = yield* client.send(operation.method, pathOf(operation), bodyOf(operation))
        assert.strictEqual(response.status, 401, operation.name)
        assert.strictEqual(response.headers.get("www-authenticate"), "Bearer")
        assert.deepStrictEqual(undocumentedParts(operation.name, response), [])
      }
    })
  )

  it.effect("any documented scope or capability of an operation suffices; without one it returns 403", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      for (const operation of operations) {
        const send = (granted: Grants) =>
          Effect.flatMap(install(storeId, granted), ({ client }) =>
            client.send(operation.method, pathOf(operation), bodyOf(operation))
          )
        const scopes = Scope.literals.filter((scope) => operation["x-scope"]?.split(" ").includes(scope))
        const capabilities = Capability.literals.filter((capability) => capability === operation["x-capability"])
        const sufficientGrants: ReadonlyArray<Grants> = [
          ...scopes.map((scope) => ({ ...NO_GRANTS, scopes: [scope] })),
          ...capabilities.map((capability) => ({ ...NO_GRANTS, capabilities: [capability] }))
        ]
        for (const granted of sufficientGrants.length > 0 ? sufficientGrants : [NO_GRANTS]) {
          const admitted = yield* send(granted)
          assert.notInclude([401, 403], admitted.status, operation.name)
          assert.deepStrictEqual(undocumentedParts(operation.name, admitted), [])
        }
        if (sufficientGrants.length === 0) continue
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

  it.effect("headers and bodies of successful responses match the document", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.deepStrictEqual(undocumentedParts("GET /store", yield* client.get("/store")), [])
      const strict = { headers: { prefer: "handling=strict" } }
      const products = yield* Effect.forEach(requestsOf("POST /products"), (body) =>
        client.post("/products", body, strict)
      )
      const dryRun = yield* client.post("/products", { name: "Cup" }, { headers: { prefer: "handling=dry-run" } })
      assert.deepStrictEqual(undocumentedParts("POST /products", dryRun), [])
      for (const response of products) {
        assert.strictEqual(response.status, 201)
        assert.strictEqual(response.headers.get("etag"), '"1"')
        assert.deepStrictEqual(undocumentedParts("POST /products", response), [])
      }
      const { id } = products.map(dataOf)[0] ?? {}
      for (const body of requestsOf("PATCH /products/{id}")) {
        const response = yield* client.patch(`/products/${String(id)}`, body)
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(undocumentedParts("PATCH /products/{id}", response), [])
      }
      for (const body of requestsOf("PATCH /products/{id}/inventory")) {
        const response = yield* client.patch(`/products/${String(id)}/inventory`, body)
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(undocumentedParts("PATCH /products/{id}/inventory", response), [])
      }

      for (const body of requestsOf("PUT /app-data/{namespace}")) {
        const response = yield* client.put("/app-data/settings", body)
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(undocumentedParts("PUT /app-data/{namespace}", response), [])
      }
      for (const query of ["", "?key=theme"]) {
        const response = yield* client.get(`/app-data/settings${query}`)
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(undocumentedParts("GET /app-data/{namespace}", response), [])
      }
      const removed = yield* client.delete("/app-data/settings?key=theme")
      assert.deepStrictEqual(removed.json, exampleOf("DELETE /app-data/{namespace}", 200, "Answer"))

      const collections = yield* Effect.forEach(requestsOf("POST /collections"), (body) =>
        client.post("/collections", body)
      )
      for (const response of collections) {
        assert.strictEqual(response.status, 201)
        assert.deepStrictEqual(undocumentedParts("POST /collections", response), [])
      }
      const collection = String(dataOf(collections[0] ?? assert.fail("none"))["id"])
      const path = `/collections/${collection}`
      for (const name of ["GET /products", "GET /collections"]) {
        assert.deepStrictEqual(undocumentedParts(name, yield* client.get(name.slice(4))), [])
      }
      assert.deepStrictEqual(undocumentedParts("GET /collections/{id}", yield* client.get(path)), [])
      const key = randomUUID()
      for (const replayed of [null, "true"]) {
        const response = yield* client.patch(path, { title: "Oak" }, { key })
        assert.strictEqual(response.headers.get("idempotent-replayed"), replayed)
        assert.deepStrictEqual(undocumentedParts("PATCH /collections/{id}", response), [])
      }
      assert.deepStrictEqual(undocumentedParts("DELETE /collections/{id}", yield* client.delete(path)), [])
      const deleted = yield* client.delete(`/products/${String(id)}`)
      assert.deepStrictEqual(undocumentedParts("DELETE /products/{id}", deleted), [])
    })
  )

  it.effect("error responses equal the examples of the document", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      yield* fillAppData(installation, 10_000, 10_000)
      const product = dataOf(yield* client.post("/products", { name: "Cup", slug: "oak" }))
      const collection = dataOf(yield* client.post("/collections", { title: "Cups", slug: "oak" }))
      const paths = {
        product: `/products/${String(product["id"])}`,
        collection: `/collections/${String(collection["id"])}`
      }
      const large = { name: "Large", metafields: { text: "a".repeat(1_048_400) } }
      for (const stock of [1, 3]) yield* client.patch(paths.product, { stock })
      for (const title of ["A", "B"]) yield* client.patch(paths.collection, { title })

      const badProduct = { name: "Cup", price: -1, variants: [{ stock: -1 }] }
      const [wrongStock, negativeStock] = [{ stock: 1, expectedStock: 2 }, { adjust: -4 }]
      const unknownVariant = { adjust: 1, variantId: UNKNOWN }
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
        ["PATCH /products/{id}", 400, "InvalidFields", paths.product, { body: badProduct }],
        ["PATCH /products/{id}", 400, "InvalidCondition", paths.product, { body: {}, ...ifMatch("3") }],
        ["PATCH /products/{id}", 404, "ProductNotFound", `/products/${UNKNOWN}`, { body: {} }],
        ["PATCH /products/{id}", 412, "VersionMismatch", paths.product, { body: {}, ...ifMatch('"1"') }],
        ["PATCH /products/{id}/inventory", 400, "InvalidFields", `${paths.product}/inventory`, { body: {} }],
        ["PATCH /products/{id}/inventory", 412, "StockMismatch", `${paths.product}/inventory`, { body: wrongStock }],
        [
          "PATCH /products/{id}/inventory",
          422,
          "StockOutOfRange",
          `${paths.product}/inventory`,
          { body: negativeStock }
        ],
        [
          "PATCH /products/{id}/inventory",
          422,
          "VariantNotFound",
          `${paths.product}/inventory`,
          { body: unknownVariant }
        ],
        ["DELETE /products/{id}", 412, "VersionMismatch", paths.product, ifMatch('"1"')],
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
        ["PATCH /collections/{id}", 412, "VersionMismatch", paths.collection, { body: {}, ...ifMatch('"1"') }],
        ["DELETE /collections/{id}", 400, "InvalidCondition", paths.collection, ifMatch("3")],
        ["PUT /app-data/{namespace}", 400, "InvalidFields", "/app-data/settings", { body: badEntry }],
        ["PUT /app-data/{namespace}", 422, "AppDataFull", "/app-data/settings", { body: { key: "theme", value: 1 } }],
        ["GET /app-data/{namespace}", 400, "InvalidLimit", "/app-data/settings?limit=0", {}],
        ["GET /app-data/{namespace}", 404, "AppDataNotFound", "/app-data/settings?key=theme", {}],
        ["DELETE /app-data/{namespace}", 400, "NoKey", "/app-data/settings", {}],
        ["DELETE /app-data/{namespace}", 404, "AppDataNotFound", "/app-data/settings?key=theme", {}]
      ]
      for (const [name, status, example, path, sent] of refused) {
        const response = yield* client.send(name.slice(0, name.indexOf(" ")), path, sent)
        assert.strictEqual(response.status, status, `${name} ${example}: ${response.text}`)
        assert.deepStrictEqual(response.json, exampleOf(name, status, example), `${name} ${example}`)
        assert.deepStrictEqual(undocumentedParts(name, response), [], `${name} ${example}`)
      }

      // Stores the event of the example with 10 hops, the maximum.
      const example = exampleOf("POST /products", 422, "EventLoop")
      const [event = ""] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(JSON.stringify(example)) ?? []
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into events (store_id, id, kind, occurred_at, actor_type, hops, resource_id, resource_version, payload)
        values (${storeId}, ${event}, 'catalog.product.updated.v1', now(), 'merchant', 10, ${String(product["id"])}, 1, '{}')
      `
      const fromEvent = { headers: { "x-service-event-id": event } }
      const looping = yield* client.post("/products", { name: "Mug" }, fromEvent)
      assert.deepStrictEqual(looping.json, example)

      const key = randomUUID()
      yield* client.post("/products", { name: "One" }, { key })
      const reused = yield* client.post("/products", { name: "Two" }, { key })
      assert.deepStrictEqual(reused.json, exampleOf("POST /products", 409, "KeyReused"))
      assert.deepStrictEqual(undocumentedParts("POST /products", reused), [])
    })
  )

  it.effect("a 429 response equals the example of the document", () =>
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
      assert.deepStrictEqual(undocumentedParts("GET /collections", refused), [])
    })
  )
})
