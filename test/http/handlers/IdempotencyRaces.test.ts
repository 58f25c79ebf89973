import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ApiTest, type Client, dataOf, errorOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { neighbour } from "../../support/process/Process.ts"

const pathOf = (collection: string, answer: Answer) => `/${collection}/${String(dataOf(answer)["id"])}`

const many = Array.from({ length: 12 }, (_, index) => index)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Of many requests with one key at once", (it) => {
  it.effect("one is done, and the others are answered with what it did, not refused because of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const second = yield* neighbour
      /** Through two servers in turn. Answers what all of them were answered. */
      const race = Effect.fn(function* (client: Client, ask: (client: Client, key: string) => Effect.Effect<Answer>) {
        const clients = [client, makeClient(second, client.token)]
        const key = crypto.randomUUID()
        const answers = yield* Effect.forEach(many, (index) => ask(clients[index % 2] ?? client, key), {
          concurrency: "unbounded"
        })
        const [answer, ...others] = new Set(answers.map(({ status, text }) => `${status} ${text}`))
        assert.deepStrictEqual(others, [])
        assert.match(answer ?? "", /^20/)
        const performed = answers.filter(({ headers }) => !headers.has("idempotent-replayed"))
        assert.lengthOf(performed, 1)
        return performed[0] ?? assert.fail("None was performed")
      })
      const matching = { headers: { "if-match": '"1"' } }

      yield* sql`insert into plans (name, product_limit, collection_limit) values ('one', 1, 1)`
      const { client, storeId } = yield* freshClient({ plan: "one" })
      // The plan has no room for another one, and its slug is taken then.
      const cup = pathOf(
        "products",
        yield* race(client, (one, key) => one.post("/products", { name: "Cup", slug: "cup" }, { key }))
      )
      yield* race(client, (one, key) => one.patch(cup, { price: 2 }, { ...matching, key }))
      yield* race(client, (one, key) => one.delete(cup, { key }))
      const shelf = pathOf(
        "collections",
        yield* race(client, (one, key) => one.post("/collections", { title: "Shelf", slug: "shelf" }, { key }))
      )
      yield* race(client, (one, key) => one.patch(shelf, { title: "Table" }, { ...matching, key }))
      yield* race(client, (one, key) => one.delete(shelf, { key }))

      const [books] = yield* sql`
        select product_count as counted, (select count(*)::int from events where store_id = ${storeId}) as events,
          (select count(*)::int from idempotency_records where store_id = ${storeId}) as records
        from stores where id = ${storeId}
      `
      assert.deepStrictEqual(books, { counted: 0, events: 4, records: 6 })
    })
  )

  it.effect("of two that ask for different things one is done, and the other is told that the key is used", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cup = pathOf("products", yield* client.post("/products", { name: "Cup", slug: "cup" }))
      const jug = pathOf("products", yield* client.post("/products", { name: "Jug" }))
      const shelf = pathOf("collections", yield* client.post("/collections", { title: "Shelf" }))
      for (const [index, others] of [
        [client.patch(cup, { price: 1 }, { key: "0" }), client.patch(jug, { price: 1 }, { key: "0" })],
        [client.patch(cup, { price: 2 }, { key: "1" }), client.patch(shelf, { title: "Table" }, { key: "1" })],
        [client.post("/products", { name: "Mug" }, { key: "2" }), client.delete(jug, { key: "2" })]
      ].entries()) {
        const answers = yield* Effect.all(others, { concurrency: "unbounded" })
        const refused = answers.filter(({ status }) => status === 409)
        assert.lengthOf(refused, 1, String(index))
        assert.match(errorOf(refused[0] ?? assert.fail()).error, /Idempotency-Key was used/)
        assert.lengthOf(
          answers.filter(({ status }) => status < 300),
          1
        )
      }
    })
  )
})
