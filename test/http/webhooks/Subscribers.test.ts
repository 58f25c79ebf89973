import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { InstallationId } from "../../../src/domain/access/Ids.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest, dataOf, install, makeStore } from "../../support/http/Api.ts"
import { installApp, subscriber } from "../../support/webhooks/Webhooks.ts"
import { suspend } from "../../support/data/Writes.ts"

const ENDPOINT = { url: "http://127.0.0.1:9/" }
const PRODUCT = "catalog.product.updated.v1"

/** Returns the recipients of each event of a store, oldest event first. */
const recipientsOf = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly recipients: ReadonlyArray<InstallationId> }>`
    select coalesce(json_agg(d.installation_id order by d.installation_id) filter (where d.event_id is not null), '[]') as recipients
    from events e left join deliveries d on d.store_id = e.store_id and d.event_id = e.id
    where e.store_id = ${storeId} group by e.id order by e.id
  `
  return rows.map(({ recipients }) => recipients)
})

// No worker runs, so the tests see the deliveries as the write stored them.
layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Recipients of events", (it) => {
  it.effect("an event goes to every subscribed installation except the one that wrote", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const subscriber1 = yield* subscriber(ENDPOINT)
      const subscriber2 = yield* subscriber(ENDPOINT)
      const subscriber3 = yield* subscriber(ENDPOINT)
      const writer = yield* installApp(storeId, subscriber1.appId)
      const second = yield* installApp(storeId, subscriber2.appId)
      const third = yield* installApp(storeId, subscriber3.appId)
      const withoutWebhook = yield* install(storeId)
      const ids = [writer, second, third].map(({ installation }) => installation.id)

      const product = dataOf(yield* writer.client.post("/products", { name: "Cup" }))
      yield* writer.client.patch(`/products/${product["id"]}`, { price: 1 })
      yield* writer.client.post("/collections", { title: "Cups" })
      yield* withoutWebhook.client.post("/products", { name: "Mug" })
      const [, ...notWriter] = ids
      assert.deepStrictEqual(yield* recipientsOf(storeId), [notWriter, notWriter, notWriter, ids])
    })
  )

  it.effect("an installation receives the subscribed kinds that its scopes allow it to read", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const products = yield* subscriber(ENDPOINT, { kinds: [PRODUCT] })
      const all = Effect.map(subscriber(ENDPOINT), ({ appId }) => appId)
      const subscribedToProducts = yield* installApp(storeId, products.appId)
      const readsCollections = yield* installApp(storeId, yield* all, ["read_collections", "write_products"])
      const readsProducts = yield* installApp(storeId, yield* all, ["read_products"])
      yield* installApp(storeId, yield* all, ["write_products", "write_collections", "read_orders"])

      yield* writer.client.post("/products", { name: "Cup" })
      yield* writer.client.post("/collections", { title: "Cups" })
      assert.deepStrictEqual(yield* recipientsOf(storeId), [
        [subscribedToProducts.installation.id, readsProducts.installation.id],
        [readsCollections.installation.id]
      ])
    })
  )

  it.effect("installations that are suspended, in another store or without a webhook receive no event", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const { appId } = yield* subscriber(ENDPOINT)
      const inactive = yield* installApp(storeId, appId)
      yield* suspend(inactive.installation)
      yield* installApp(yield* makeStore(), appId)
      yield* install(storeId)
      yield* writer.client.post("/products", { name: "Cup" })
      assert.deepStrictEqual(yield* recipientsOf(storeId), [[]])
    })
  )

  it.effect("a paused webhook gets a delivery for each event", () =>
    Effect.gen(function* () {
      const { pause } = yield* Webhooks
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const { appId } = yield* subscriber(ENDPOINT)
      const paused = yield* installApp(storeId, appId)
      yield* pause(appId)
      yield* writer.client.post("/products", { name: "Cup" })
      assert.deepStrictEqual(yield* recipientsOf(storeId), [[paused.installation.id]])
    })
  )

  it.effect("a delete, a rejected write, one that changes nothing, and a replay create no delivery", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      yield* installApp(storeId, (yield* subscriber(ENDPOINT)).appId)
      const { id } = dataOf(yield* writer.client.post("/products", { name: "Cup" }, { key: "one" }))
      const collection = dataOf(yield* writer.client.post("/collections", { title: "Cups" }))
      yield* writer.client.post("/products", { name: "Cup" }, { key: "one" })
      yield* writer.client.patch(`/products/${id}`, { name: "Cup" })
      yield* writer.client.patch(`/products/${id}`, { price: -1 })
      yield* writer.client.delete(`/products/${id}`)
      yield* writer.client.delete(`/collections/${collection["id"]}`)
      assert.deepStrictEqual(yield* sql`select count(*)::integer as n from deliveries where store_id = ${storeId}`, [
        { n: 2 }
      ])
    })
  )
})
