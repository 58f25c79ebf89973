import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RulesTimeout } from "../../../src/layers/catalog/CollectionRepository.ts"
import { type Answer, IsolatedApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"
import { connection, databaseUrl, rowsOf } from "../../support/process/Process.ts"

const rules = [{ field: "price", relation: "greater_or_equal", value: 0 }]

const assertRefused = (answer: Answer, subject: string) => {
  assert.strictEqual(answer.status, 422, answer.text)
  assert.include(errorOf(answer).error, subject)
  assert.include(errorOf(answer).error, "replace contains by equals or in")
}

/** Selects the queries on `product_keys` that the service currently runs in this database. */
const activeQueries = `
  select query from pg_stat_activity
  where datname = current_database() and application_name = 'partner-api' and state = 'active' and query like '%product_keys%'
`

const ImpatientApi = Layer.provide(IsolatedApiTest, Layer.succeed(RulesTimeout, 300))

layer(ImpatientApi, { excludeTestServices: true, timeout: "60 seconds" })("Slow rules", (it) => {
  it.effect(
    "rules that run longer than their timeout are rejected with 422 and advice, cancelled, and write nothing",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client } = yield* freshClient()
        yield* client.post("/products", { name: "Cup" })
        const quick = dataOf(yield* client.post("/collections", { title: "By hand" }))
        const slow = dataOf(yield* client.post("/collections", { title: "By rules", rules }))
        const path = `/collections/${String(slow["id"])}`
        yield* sql`alter table product_keys rename to original_keys`
        yield* sql`create view product_keys as select * from original_keys where pg_sleep(20) is not null`

        const page = yield* client.get("/collections")
        assert.deepStrictEqual(pageOf(page), { items: [quick], nextCursor: String(quick["id"]) })
        const [next, created] = yield* Effect.all(
          [
            client.get(`/collections?cursor=${String(quick["id"])}`),
            client.post("/collections", { title: "Another", rules }, { key: "again" })
          ],
          { concurrency: "unbounded" }
        )
        const [read, patched] = yield* Effect.all([client.get(path), client.patch(path, { title: "Changed" })], {
          concurrency: "unbounded"
        })
        for (const answer of [next, read, patched]) assertRefused(answer, String(slow["id"]))
        assertRefused(created, "these rules")
        assert.deepStrictEqual(yield* rowsOf(yield* connection(yield* databaseUrl), activeQueries), [])

        yield* sql`drop view product_keys`
        yield* sql`alter table original_keys rename to product_keys`
        assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [quick, slow])
        assert.strictEqual(
          (yield* client.post("/collections", { title: "Another", rules }, { key: "again" })).status,
          201
        )
      })
  )
})
