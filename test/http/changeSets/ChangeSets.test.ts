import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { dataOf, errorOf, install, makeStore, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, previewed, resultsOf, settled, setOf } from "../../support/http/ChangeSets.ts"

const app = Effect.gen(function* () {
  const storeId = yield* makeStore()
  return { storeId, ...(yield* install(storeId)) }
})

layer(JobsTest, { excludeTestServices: true, timeout: "60 seconds" })("Change sets", (it) => {
  it.effect("a preview changes nothing, and the set changes what it showed", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* app
      const desk = dataOf(yield* client.post("/products", { name: "Desk", price: 100, stock: 5, sku: "D-1" }))
      const lamp = dataOf(yield* client.post("/products", { name: "Lamp", price: 20 }))
      yield* client.post("/collections", {
        title: "Cheap",
        rules: [{ field: "price", relation: "less_than", value: 95 }]
      })
      const operations = [
        { op: "product.create", product: { name: "Chair", price: 60 } },
        { op: "product.update", id: desk.id, patch: { price: 90 } },
        { op: "product.update", id: lamp.id, patch: { price: 20 } },
        { op: "inventory.change", sku: "D-1", change: { adjust: -2 } },
        { op: "product.update", sku: "missing", patch: { price: 1 } },
        { op: "inventory.change", id: desk.id, change: { adjust: -9 } },
        { op: "product.delete", id: lamp.id },
        { op: "product.update", id: lamp.id, patch: { price: 3 } }
      ]
      const ready = yield* previewed(client, { mode: "each", note: "Sale", operations })
      assert.deepInclude(ready, { state: "ready", counts: { total: 8, changed: 4, unchanged: 1, refused: 3 } })
      assert.deepInclude(ready.preview, { created: 1, updated: 2, deleted: 1, lowestPrice: 60, highestPrice: 90 })
      assert.deepStrictEqual(ready.preview?.fields, [
        { field: "price", count: 1 },
        { field: "stock", count: 1 }
      ])
      assert.deepEqual(
        ready.preview?.collections?.map(({ enters, leaves, title }) => ({ enters, leaves, title })),
        [{ title: "Cheap", enters: 2, leaves: 1 }]
      )
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 2)

      const set = yield* applied(client, ready.id)
      assert.deepInclude(set, { state: "applied", counts: ready.counts, failure: null })
      const results = yield* resultsOf(client, set.id)
      assert.deepStrictEqual(
        results.map(({ outcome }) => outcome),
        ["created", "updated", "unchanged", "updated", "refused", "refused", "deleted", "refused"]
      )
      assert.match(results[4]?.error ?? "", /No product has the SKU "missing"/)
      assert.match(results[5]?.error ?? "", /stock is 3/)
      assert.match(results[7]?.error ?? "", /was not found/)
      const { items } = pageOf(yield* client.get("/products"))
      assert.deepStrictEqual(
        items.map(({ name, price, stock, version }) => ({ name, price, stock, version })),
        [
          { name: "Desk", price: 90, stock: 3, version: 3 },
          { name: "Chair", price: 60, stock: 0, version: 1 }
        ]
      )
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql`
        select id::text, reason, change_set_id::text as "changeSetId" from journal where store_id = ${storeId} and change_set_id is not null order by id
      `
      assert.deepStrictEqual(
        entries.map(({ id }) => id),
        results.flatMap(({ entryId }) => entryId ?? [])
      )
      assert.deepStrictEqual(new Set(entries.map(({ reason }) => reason)), new Set(["Sale"]))

      const undo = setOf(yield* client.post(`/change-sets/${set.id}/undo`, undefined))
      assert.deepInclude(yield* settled(client, undo.id), { state: "ready", undoes: set.id })
      const undone = yield* applied(client, undo.id)
      assert.deepInclude(undone, { state: "applied", counts: { total: 4, changed: 4, unchanged: 0, refused: 0 } })
      assert.deepStrictEqual(
        pageOf(yield* client.get("/products")).items.map(({ name, price, stock }) => ({ name, price, stock })),
        [
          { name: "Desk", price: 100, stock: 5 },
          { name: "Lamp", price: 20, stock: 0 }
        ]
      )
      const again = yield* client.post(`/change-sets/${set.id}/undo`, undefined)
      assert.strictEqual(again.status, 409)
      assert.match(errorOf(again).error, new RegExp(undo.id))
    })
  )
})
