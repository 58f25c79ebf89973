import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ApiTest, dataOf, errorOf, freshClient, install, makeStore } from "../../support/http/Api.ts"

const Payload = Schema.fromJsonString(Schema.Struct({ hops: Schema.Int }))

/** The newest event of a store: its id, and the hops that its payload tells. */
const newest = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string; readonly payload: string }>`
    select id, payload from events where store_id = ${storeId} order by id desc limit 1
  `
  return { id: row?.id ?? "", hops: Schema.decodeSync(Payload)(row?.payload ?? "").hops }
})

const answering = (event: string) => ({ headers: { "x-service-event-id": event } })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Apps that answer each other", (it) => {
  it.effect("are cut off after 10 writes in a row that each answer an event, with 422 and nothing written", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const [one, two] = [yield* install(storeId), yield* install(storeId)]
      const path = `/products/${String(dataOf(yield* one.client.post("/products", { name: "Cup" }))["id"])}`
      assert.strictEqual((yield* newest(storeId)).hops, 0)
      for (let hops = 1; hops <= 10; hops++) {
        const { id } = yield* newest(storeId)
        const { client } = hops % 2 === 0 ? one : two
        assert.strictEqual((yield* client.patch(path, { stock: hops }, answering(id))).status, 200)
        assert.strictEqual((yield* newest(storeId)).hops, hops)
      }
      const last = yield* newest(storeId)
      for (const refused of [
        yield* two.client.patch(path, { stock: 99 }, answering(last.id)),
        yield* one.client.post("/products", { name: "Mug" }, answering(last.id)),
        yield* one.client.post("/collections", { title: "Cups" }, answering(last.id))
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.include(errorOf(refused).error, `10 consecutive deliveries led to the event ${last.id}`)
      }
      assert.deepStrictEqual(yield* newest(storeId), last)

      // A write of its own accord is none of that chain, and neither is a delete, which tells nobody.
      assert.strictEqual((yield* two.client.patch(path, { stock: 99 })).status, 200)
      assert.strictEqual((yield* newest(storeId)).hops, 0)
      assert.strictEqual((yield* two.client.delete(path, answering(last.id))).status, 200)
    })
  )

  it.effect("the chain is that of events: writes that answer the same event stand at the same hop", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      const { id } = yield* newest(storeId)
      for (let n = 0; n < 20; n++) {
        assert.strictEqual((yield* client.post("/products", { name: "Mug" }, answering(id))).status, 201)
        assert.strictEqual((yield* newest(storeId)).hops, 1)
      }
    })
  )

  it.effect("an event of another store, or none that is known, begins a new chain", () =>
    Effect.gen(function* () {
      const other = yield* freshClient()
      yield* other.client.post("/products", { name: "Cup" })
      yield* other.client.post("/products", { name: "Cup" }, answering((yield* newest(other.storeId)).id))
      const foreign = yield* newest(other.storeId)
      assert.strictEqual(foreign.hops, 1)
      const { client, storeId } = yield* freshClient()
      for (const event of [foreign.id, "01890a5d-ac96-774b-bcce-b302099a8057"]) {
        assert.strictEqual((yield* client.post("/products", { name: "Cup" }, answering(event))).status, 201)
        assert.strictEqual((yield* newest(storeId)).hops, 0)
      }
    })
  )

  it.effect(
    "a write that was done is replayed, whatever event its repetition names; a refused one may be tried again",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client, storeId } = yield* freshClient()
        yield* client.post("/products", { name: "Cup" })
        const { id } = yield* newest(storeId)
        yield* sql`update events set hops = 10 where id = ${id}`
        const post = (headers: Record<string, string>) =>
          client.post("/products", { name: "Mug" }, { key: "the-same", headers })
        const refused = yield* post({ "x-service-event-id": id })
        assert.strictEqual(refused.status, 422)
        const done = yield* post({})
        assert.strictEqual(done.status, 201)
        const replayed = yield* post({ "x-service-event-id": id })
        assert.strictEqual(replayed.text, done.text)
        assert.strictEqual(replayed.status, 201)
      })
  )

  it.effect("what is no id is refused with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const event of ["", "7", "01890a5d-ac96-774b-bcce-b302099a8057, 01890a5d-ac96-774b-bcce-b302099a8057"]) {
        const refused = yield* client.post("/products", { name: "Cup" }, answering(event))
        assert.strictEqual(refused.status, 400, event)
        assert.match(errorOf(refused).issues?.[0] ?? "", /^X-Service-Event-Id: must be a UUID/)
      }
    })
  )
})
