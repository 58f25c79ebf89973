import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ApiTest, type Client, dataOf, errorOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { startSecondServer } from "../../support/process/Process.ts"

const pathOf = (collection: string, response: Answer) => `/${collection}/${String(dataOf(response)["id"])}`

const indexes = Array.from({ length: 12 }, (_, index) => index)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Concurrent requests with one key", (it) => {
  it.effect("one of several equal requests with one key is performed, and the others receive its response", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secondServer = yield* startSecondServer
      /** Sends equal requests to two servers alternately. Returns the response of the one that was performed. */
      const race = Effect.fn(function* (client: Client, send: (client: Client, key: string) => Effect.Effect<Answer>) {
        const clients = [client, makeClient(secondServer, client.token)]
        const key = crypto.randomUUID()
        const responses = yield* Effect.forEach(indexes, (index) => send(clients[index % 2] ?? client, key), {
          concurrency: "unbounded"
        })
        const [response, ...otherResponses] = new Set(responses.map(({ status, text }) => `${status} ${text}`))
        assert.deepStrictEqual(otherResponses, [])
        assert.match(response ?? "", /^20/)
        const performed = responses.filter(({ headers }) => !headers.has("idempotent-replayed"))
        assert.lengthOf(performed, 1)
        return performed[0] ?? assert.fail("None was performed")
      })
      const matching = { headers: { "if-match": '"1"' } }

      yield* sql`insert into plans (name, product_limit, collection_limit) values ('one', 1, 1)`
      const { client, storeId } = yield* freshClient({ plan: "one" })
      // After the first request, the plan limit is reached and the slug is in use.
      const cup = pathOf(
        "products",
        yield* race(client, (one, key) => one.post("/products", { name: "Cup", slug: "cup" }, { key }))
      )
      yield* race(client, (one, key) => one.patch(cup, { price: 2 }, { ...matching, key }))
      yield* race(client, (one, key) => one.delete(cup, { key }))
      const collectionPath = pathOf(
        "collections",
        yield* race(client, (one, key) => one.post("/collections", { title: "Shelf", slug: "shelf" }, { key }))
      )
      yield* race(client, (one, key) => one.patch(collectionPath, { title: "Table" }, { ...matching, key }))
      yield* race(client, (one, key) => one.delete(collectionPath, { key }))

      const [counts] = yield* sql`
        select product_count as counted, (select count(*)::int from events where store_id = ${storeId}) as events,
          (select count(*)::int from idempotency_records where store_id = ${storeId}) as records
        from stores where id = ${storeId}
      `
      assert.deepStrictEqual(counts, { counted: 0, events: 4, records: 6 })
    })
  )

  it.effect("one of two different requests with one key is performed, and the other is rejected with 409", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cup = pathOf("products", yield* client.post("/products", { name: "Cup", slug: "cup" }))
      const jug = pathOf("products", yield* client.post("/products", { name: "Jug" }))
      const collectionPath = pathOf("collections", yield* client.post("/collections", { title: "Shelf" }))
      for (const [index, requests] of [
        [client.patch(cup, { price: 1 }, { key: "0" }), client.patch(jug, { price: 1 }, { key: "0" })],
        [client.patch(cup, { price: 2 }, { key: "1" }), client.patch(collectionPath, { title: "Table" }, { key: "1" })],
        [client.post("/products", { name: "Mug" }, { key: "2" }), client.delete(jug, { key: "2" })]
      ].entries()) {
        const responses = yield* Effect.all(requests, { concurrency: "unbounded" })
        const rejected = responses.filter(({ status }) => status === 409)
        assert.lengthOf(rejected, 1, String(index))
        assert.match(errorOf(rejected[0] ?? assert.fail()).error, /Idempotency-Key was used/)
        assert.lengthOf(
          responses.filter(({ status }) => status < 300),
          1
        )
      }
    })
  )
})
