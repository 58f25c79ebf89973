import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MAX_HOPS } from "../../../src/domain/Events.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { dataOf, errorOf, makeStore, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, previewed, resultsOf, setOf, settled } from "../../support/http/ChangeSets.ts"
import { installApp, subscriber } from "../../support/webhooks/Webhooks.ts"

const ENDPOINT = { url: "http://127.0.0.1:9/" }

/** Events of a store in their order, with their recipients. */
const eventsOf = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    readonly id: string
    readonly set: string | null
    readonly hops: number
    readonly to: ReadonlyArray<string>
  }>`
    select e.id, e.payload::json ->> 'changeSetId' as set, e.hops,
      coalesce(json_agg(d.installation_id) filter (where d.event_id is not null), '[]') as to
    from events e left join deliveries d on d.store_id = e.store_id and d.event_id = e.id
    where e.store_id = ${storeId} group by e.store_id, e.id, e.payload, e.hops order by e.id
  `
})

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Events of change sets", (it) => {
  it.effect(
    "each changed row has one event, in the order of operations, with changeSetId; own and deleted ones have none",
    () =>
      Effect.gen(function* () {
        const storeId = yield* makeStore()
        const own = yield* installApp(storeId, (yield* subscriber(ENDPOINT)).appId)
        const other = yield* installApp(storeId, (yield* subscriber(ENDPOINT)).appId)
        const { client } = own
        const [a, b] = [
          dataOf(yield* client.post("/products", { name: "A" })),
          dataOf(yield* client.post("/products", { name: "B" }))
        ]
        const before = (yield* eventsOf(storeId)).length
        const operations = [
          { op: "product.update", id: b.id, patch: { price: 2 } },
          { op: "product.create", product: { name: "C" } },
          { op: "product.update", id: a.id, patch: { name: "A" } },
          { op: "collection.create", collection: { title: "All" } },
          { op: "inventory.change", id: a.id, change: { stock: 3 } },
          { op: "product.delete", id: b.id }
        ]
        const set = yield* previewed(client, { mode: "each", operations })
        assert.lengthOf(yield* eventsOf(storeId), before)
        const recipients = set.preview?.events.map(({ count, recipients }) => [
          count,
          recipients.map((one) => one.installationId)
        ])
        assert.deepStrictEqual(recipients, [
          [3, [other.installation.id]],
          [1, [other.installation.id]]
        ])
        yield* applied(client, set.id)
        const events = (yield* eventsOf(storeId)).slice(before)
        const results = yield* resultsOf(client, set.id)
        assert.deepStrictEqual(
          events.map(({ id }) => id),
          results.flatMap(({ entryId, outcome }) => (outcome === "deleted" ? [] : (entryId ?? [])))
        )
        for (const event of events) {
          assert.deepInclude(event, { set: set.id, to: [other.installation.id], hops: 0 })
        }
      })
  )

  it.effect("the change feed and the journal name the set; its note is the reason of its changes", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const { client } = yield* installApp(storeId, (yield* subscriber(ENDPOINT)).appId)
      const start = JSON.parse((yield* client.get("/changes")).text).nextPosition
      const set = yield* previewed(client, {
        mode: "each",
        note: "Sale",
        operations: [{ op: "product.create", product: { name: "A" } }]
      })
      yield* applied(client, set.id)
      const [change] = JSON.parse((yield* client.get(`/changes?after=${start}`)).text).changes
      assert.deepInclude(change, { changeSetId: set.id })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select reason, change_set_id as set from journal where store_id = ${storeId} and change_set_id is not null`,
        [{ reason: "Sale", set: set.id }]
      )
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 1)
    })
  )

  it.effect("events of a set that responds to an event have one hop more, up to the limit", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const { client } = yield* installApp(storeId, (yield* subscriber(ENDPOINT)).appId)
      yield* client.post("/products", { name: "A" })
      const [first = assert.fail("There is one")] = yield* eventsOf(storeId)
      const responding = { headers: { "x-service-event-id": first.id } }
      const set = { mode: "each", operations: [{ op: "product.create", product: { name: "B" } }] }
      const created = setOf(yield* client.post("/change-sets", set, responding))
      yield* settled(client, created.id)
      yield* applied(client, created.id)
      assert.deepStrictEqual(
        (yield* eventsOf(storeId)).map(({ hops }) => hops),
        [0, 1]
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`update events set hops = ${MAX_HOPS} where store_id = ${storeId}`
      const refused = yield* client.post("/change-sets", set, responding)
      assert.strictEqual(refused.status, 422)
      assert.include(errorOf(refused).error, "Event loop")
    })
  )
})
