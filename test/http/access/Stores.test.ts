import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import { ApiTest, dataOf, freshClient, install } from "../../support/http/Api.ts"
import { performIn } from "../../support/data/Writes.ts"

const GROWTH = { name: "growth", productLimit: 10_000, collectionLimit: 2000 }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The store", (it) => {
  it.effect("is told to who has any valid token: what it says of itself, its plan, and how much it holds", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const settings = {
        domain: "shop.example.com",
        timezone: "Europe/Zurich",
        locale: "de-CH",
        country: "CH",
        weightUnit: "g"
      } as const
      const storeId = yield* stores.create({ name: 'Tea & "more"', plan: "growth", currencyCode: "CHF", ...settings })
      const { client, installation } = yield* install(storeId, NO_GRANTS)
      const answer = yield* client.get("/store")
      assert.strictEqual(answer.status, 200)
      assert.isNull(answer.headers.get("etag"))
      const { createdAt, ...told } = dataOf(answer)
      assert.match(String(createdAt), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const named = { id: storeId, name: 'Tea & "more"', currencyCode: "CHF" }
      const own = { ...NO_GRANTS, id: installation.id, subscription: null }
      assert.deepStrictEqual(told, { ...named, ...settings, plan: GROWTH, productCount: 0, installation: own })
    })
  )

  it.effect("made with nothing but a name, a plan and a currency says what is usual", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const usual = { domain: null, timezone: "UTC", locale: "en", country: null, weightUnit: "kg" }
      assert.deepInclude(dataOf(yield* client.get("/store")), usual)
    })
  )

  it.effect("put on another plan, or on a plan that changes, goes by it from the next request on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stores = yield* Stores
      yield* stores.createPlan(Plan.make({ name: "pair", productLimit: 2, collectionLimit: 1 }))
      const { client, storeId } = yield* freshClient({ plan: "growth" })
      const perform = yield* performIn(storeId)
      const create = (path: string, body: unknown) => Effect.map(client.post(path, body), ({ status }) => status)
      const told = Effect.map(client.get("/store"), (answer) => {
        const { plan, productCount } = dataOf(answer)
        return { plan, productCount }
      })
      for (const name of ["One", "Two", "Three"]) assert.strictEqual(yield* create("/products", { name }), 201)
      assert.deepStrictEqual(yield* told, { plan: GROWTH, productCount: 3 })

      yield* perform(stores.setPlan(storeId, "pair"))
      const pair = { name: "pair", productLimit: 2, collectionLimit: 1 }
      assert.deepStrictEqual(yield* told, { plan: pair, productCount: 3 })
      assert.strictEqual(yield* create("/products", { name: "Four" }), 403)
      assert.strictEqual(yield* create("/collections", { title: "One" }), 201)
      assert.strictEqual(yield* create("/collections", { title: "Two" }), 422)

      yield* sql`update plans set product_limit = 4, collection_limit = 2 where name = 'pair'`
      assert.strictEqual(yield* create("/products", { name: "Four" }), 201)
      assert.strictEqual(yield* create("/products", { name: "Five" }), 403)
      assert.strictEqual(yield* create("/collections", { title: "Two" }), 201)

      yield* perform(stores.setPlan(storeId, "growth"))
      assert.strictEqual(yield* create("/products", { name: "Five" }), 201)
      assert.deepStrictEqual(yield* told, { plan: GROWTH, productCount: 5 })
    })
  )
})
