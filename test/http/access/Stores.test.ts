import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { ApiTest, dataOf, freshClient, install } from "../../support/http/Api.ts"
import { performIn } from "../../support/data/Writes.ts"

const GROWTH = { name: "growth", productLimit: 10_000, collectionLimit: 2000, mediaLimit: 10 * 1024 ** 3 }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("GET /store", (it) => {
  it.effect("returns the settings, plan, product count and installation of the store to any valid token", () =>
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
      const response = yield* client.get("/store")
      assert.strictEqual(response.status, 200)
      assert.isNull(response.headers.get("etag"))
      const { createdAt, ...store } = dataOf(response)
      assert.match(String(createdAt), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const named = { id: storeId, name: 'Tea & "more"', currencyCode: "CHF" }
      const expectedInstallation = { ...NO_GRANTS, id: installation.id, subscription: null }
      assert.deepStrictEqual(store, {
        ...named,
        ...settings,
        plan: GROWTH,
        productCount: null,
        installation: expectedInstallation
      })
      // The number of products is that of a list.
      const { client: reader } = yield* install(storeId, { scopes: ["read_products"] })
      assert.deepInclude(dataOf(yield* reader.get("/store")), { productCount: 0 })
    })
  )

  it.effect("a store created with name, plan and currency alone has default settings", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const defaults = { domain: null, timezone: "UTC", locale: "en", country: null, weightUnit: "kg" }
      assert.deepInclude(dataOf(yield* client.get("/store")), defaults)
    })
  )

  it.effect("a new plan, or new limits of a plan, apply from the next request", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      yield* stores.createPlan(Plan.make({ name: "pair", productLimit: 2, collectionLimit: 1, mediaLimit: 1024 }))
      const { client, storeId } = yield* freshClient({ plan: "growth" })
      const perform = yield* performIn(storeId)
      const create = (path: string, body: unknown) => Effect.map(client.post(path, body), ({ status }) => status)
      const planAndCount = Effect.map(client.get("/store"), (response) => {
        const { plan, productCount } = dataOf(response)
        return { plan, productCount }
      })
      for (const name of ["One", "Two", "Three"]) assert.strictEqual(yield* create("/products", { name }), 201)
      assert.deepStrictEqual(yield* planAndCount, { plan: GROWTH, productCount: 3 })

      yield* perform(stores.setPlan(storeId, "pair"))
      const pair = { name: "pair", productLimit: 2, collectionLimit: 1, mediaLimit: 1024 }
      assert.deepStrictEqual(yield* planAndCount, { plan: pair, productCount: 3 })
      assert.strictEqual(yield* create("/products", { name: "Four" }), 403)
      assert.strictEqual(yield* create("/collections", { title: "One" }), 201)
      assert.strictEqual(yield* create("/collections", { title: "Two" }), 422)

      yield* changeGlobally((sql) => sql`update plans set product_limit = 4, collection_limit = 2 where name = 'pair'`)
      assert.strictEqual(yield* create("/products", { name: "Four" }), 201)
      assert.strictEqual(yield* create("/products", { name: "Five" }), 403)
      assert.strictEqual(yield* create("/collections", { title: "Two" }), 201)

      yield* perform(stores.setPlan(storeId, "growth"))
      assert.strictEqual(yield* create("/products", { name: "Five" }), 201)
      assert.deepStrictEqual(yield* planAndCount, { plan: GROWTH, productCount: 5 })
    })
  )
})
