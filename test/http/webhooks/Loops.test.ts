import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ApiTest, dataOf, errorOf, freshClient, install, makeStore } from "../../support/http/Api.ts"

const Payload = Schema.fromJsonString(Schema.Struct({ hops: Schema.Int }))

/** Returns the id of the newest event of a store, and the hops in its payload. */
const newestEvent = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string; readonly payload: string }>`
    select id, payload from events where store_id = ${storeId} order by id desc limit 1
  `
  return { id: row?.id ?? "", hops: Schema.decodeSync(Payload)(row?.payload ?? "").hops }
})

const inResponseTo = (event: string) => ({ headers: { "x-service-event-id": event } })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Event loops", (it) => {
  it.effect("a write that names an event with 10 hops is rejected with 422 and changes nothing", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const [one, two] = [yield* install(storeId), yield* install(storeId)]
      const path = `/products/${String(dataOf(yield* one.client.post("/products", { name: "Cup" }))["id"])}`
      assert.strictEqual((yield* newestEvent(storeId)).hops, 0)
      for (let hops = 1; hops <= 10; hops++) {
        const { id } = yield* newestEvent(storeId)
        const { client } = hops % 2 === 0 ? one : two
        assert.strictEqual((yield* client.patch(path, { stock: hops }, inResponseTo(id))).status, 200)
        assert.strictEqual((yield* newestEvent(storeId)).hops, hops)
      }
      const last = yield* newestEvent(storeId)
      yield* one.client.put("/app-data/settings", { key: "theme", value: 1 })
      for (const refused of [
        yield* two.client.patch(path, { stock: 99 }, inResponseTo(last.id)),
        yield* one.client.post("/products", { name: "Mug" }, inResponseTo(last.id)),
        yield* one.client.post("/collections", { title: "Cups" }, inResponseTo(last.id)),
        yield* one.client.put("/app-data/settings", { key: "theme", value: 2 }, inResponseTo(last.id))
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.include(errorOf(refused).error, `10 consecutive deliveries led to the event ${last.id}`)
      }
      assert.deepStrictEqual(yield* newestEvent(storeId), last)

      // A write that names no event starts a new chain. A delete emits no event, so it is not limited.
      assert.strictEqual((yield* two.client.patch(path, { stock: 99 })).status, 200)
      assert.strictEqual((yield* newestEvent(storeId)).hops, 0)
      assert.strictEqual((yield* two.client.delete(path, inResponseTo(last.id))).status, 200)
    })
  )

  it.effect("writes that name the same event have the same number of hops", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      const { id } = yield* newestEvent(storeId)
      for (let n = 0; n < 20; n++) {
        assert.strictEqual((yield* client.post("/products", { name: "Mug" }, inResponseTo(id))).status, 201)
        assert.strictEqual((yield* newestEvent(storeId)).hops, 1)
      }
    })
  )

  it.effect("a write that names an event of another store, or an unknown one, starts a new chain", () =>
    Effect.gen(function* () {
      const other = yield* freshClient()
      yield* other.client.post("/products", { name: "Cup" })
      yield* other.client.post("/products", { name: "Cup" }, inResponseTo((yield* newestEvent(other.storeId)).id))
      const foreign = yield* newestEvent(other.storeId)
      assert.strictEqual(foreign.hops, 1)
      const { client, storeId } = yield* freshClient()
      for (const event of [foreign.id, "01890a5d-ac96-774b-bcce-b302099a8057"]) {
        assert.strictEqual((yield* client.post("/products", { name: "Cup" }, inResponseTo(event))).status, 201)
        assert.strictEqual((yield* newestEvent(storeId)).hops, 0)
      }
    })
  )

  it.effect("a stored response is replayed whatever event the retry names, and a rejected write can be retried", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      const { id } = yield* newestEvent(storeId)
      yield* sql`update events set hops = 10 where id = ${id}`
      const post = (headers: Record<string, string>) =>
        client.post("/products", { name: "Mug" }, { key: "the-same", headers })
      const refused = yield* post({ "x-service-event-id": id })
      assert.strictEqual(refused.status, 422)
      const created = yield* post({})
      assert.strictEqual(created.status, 201)
      const replayed = yield* post({ "x-service-event-id": id })
      assert.strictEqual(replayed.text, created.text)
      assert.strictEqual(replayed.status, 201)
    })
  )

  it.effect("an X-Service-Event-Id that is not a UUID gets 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const event of ["", "7", "01890a5d-ac96-774b-bcce-b302099a8057, 01890a5d-ac96-774b-bcce-b302099a8057"]) {
        const refused = yield* client.post("/products", { name: "Cup" }, inResponseTo(event))
        assert.strictEqual(refused.status, 400, event)
        assert.match(errorOf(refused).issues?.[0] ?? "", /^X-Service-Event-Id: must be a UUID/)
      }
    })
  )
})
