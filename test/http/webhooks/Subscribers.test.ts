import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { InstallationId } from "../../../src/domain/access/Installations.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { ApiTest, dataOf, install, makeStore } from "../../support/http/Api.ts"
import { installApp, subscriber } from "../../support/webhooks/Webhooks.ts"
import { suspend } from "../../support/data/Writes.ts"

const SOMEWHERE = { url: "http://127.0.0.1:9/" }
const PRODUCT = "catalog.product.updated.v1"

/** Who is told of each event of a store, the oldest event first. */
const toldOf = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly told: ReadonlyArray<InstallationId> }>`
    select coalesce(json_agg(d.installation_id order by d.installation_id) filter (where d.event_id is not null), '[]') as told
    from events e left join deliveries d on d.store_id = e.store_id and d.event_id = e.id
    where e.store_id = ${storeId} group by e.id order by e.id
  `
  return rows.map(({ told }) => told)
})

// No worker runs here: what is looked at is what the write itself left behind.
layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Who is told of an event", (it) => {
  it.effect("every installed app that subscribed, but not the one that wrote", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const one = yield* subscriber(SOMEWHERE)
      const two = yield* subscriber(SOMEWHERE)
      const three = yield* subscriber(SOMEWHERE)
      const writer = yield* installApp(storeId, one.appId)
      const sibling = yield* installApp(storeId, two.appId)
      const other = yield* installApp(storeId, three.appId)
      const silent = yield* install(storeId)
      const ids = [writer, sibling, other].map(({ installation }) => installation.id)

      const product = dataOf(yield* writer.client.post("/products", { name: "Cup" }))
      yield* writer.client.patch(`/products/${product["id"]}`, { price: 1 })
      yield* writer.client.post("/collections", { title: "Cups" })
      yield* silent.client.post("/products", { name: "Mug" })
      const [, ...notWriter] = ids
      assert.deepStrictEqual(yield* toldOf(storeId), [notWriter, notWriter, notWriter, ids])
    })
  )

  it.effect("only of the kinds it wants, with the scope to read the resource", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const products = yield* subscriber(SOMEWHERE, { kinds: [PRODUCT] })
      const all = Effect.map(subscriber(SOMEWHERE), ({ appId }) => appId)
      const wantsProducts = yield* installApp(storeId, products.appId)
      const readsCollections = yield* installApp(storeId, yield* all, ["read_collections", "write_products"])
      const readsProducts = yield* installApp(storeId, yield* all, ["read_products"])
      yield* installApp(storeId, yield* all, ["write_products", "write_collections", "read_orders"])

      yield* writer.client.post("/products", { name: "Cup" })
      yield* writer.client.post("/collections", { title: "Cups" })
      assert.deepStrictEqual(yield* toldOf(storeId), [
        [wantsProducts.installation.id, readsProducts.installation.id],
        [readsCollections.installation.id]
      ])
    })
  )

  it.effect("not when it is suspended, on another store, or its app has no webhook", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const { appId } = yield* subscriber(SOMEWHERE)
      const inactive = yield* installApp(storeId, appId)
      yield* suspend(inactive.installation)
      yield* installApp(yield* makeStore(), appId)
      yield* install(storeId)
      yield* writer.client.post("/products", { name: "Cup" })
      assert.deepStrictEqual(yield* toldOf(storeId), [[]])
    })
  )

  it.effect("also while its webhook is paused: it is told when it is resumed", () =>
    Effect.gen(function* () {
      const { pause } = yield* Webhooks
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      const { appId } = yield* subscriber(SOMEWHERE)
      const paused = yield* installApp(storeId, appId)
      yield* pause(appId)
      yield* writer.client.post("/products", { name: "Cup" })
      assert.deepStrictEqual(yield* toldOf(storeId), [[paused.installation.id]])
    })
  )

  it.effect("a delete, a refused write, one that changes nothing, and a replay tell nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      yield* installApp(storeId, (yield* subscriber(SOMEWHERE)).appId)
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

  it.effect("the deliveries are rows of the very transaction that wrote the product", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      yield* installApp(storeId, (yield* subscriber(SOMEWHERE)).appId)
      yield* writer.client.post("/products", { name: "Cup" })
      const together = yield* sql`
        select count(*)::integer as n
        from products p
        join events e on e.store_id = p.store_id and e.resource_id = p.id and e.xmin = p.xmin
        join deliveries d on d.store_id = e.store_id and d.event_id = e.id and d.xmin = p.xmin
        where p.store_id = ${storeId}
      `
      assert.deepStrictEqual(together, [{ n: 1 }])
    })
  )

  it.effect("where a delivery cannot be kept nothing is written: 500, and the same key may try again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const writer = yield* install(storeId)
      yield* installApp(storeId, (yield* subscriber(SOMEWHERE)).appId)
      yield* sql`
        create function refuse_delivery() returns trigger language plpgsql as $$ begin raise 'no room'; end $$
      `
      // The store's id is made by the database and stands in the statement itself: DDL takes no parameters.
      yield* sql.unsafe(`
        create trigger refuse before insert on deliveries for each row
        when (new.store_id = '${storeId}') execute function refuse_delivery()
      `)
      const create = writer.client.post("/products", { name: "Cup" }, { key: "create" })
      assert.strictEqual((yield* create).status, 500)
      assert.deepStrictEqual(yield* toldOf(storeId), [])
      yield* sql`drop trigger refuse on deliveries`
      assert.strictEqual((yield* create).status, 201)
      assert.lengthOf((yield* toldOf(storeId)).flat(), 1)
    })
  )
})
