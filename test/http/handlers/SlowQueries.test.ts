import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { QueryTimeout } from "../../../src/layers/sql/Queries.ts"
import { errorOf, freshClient, IsolatedApiTest } from "../../support/http/Api.ts"
import { connection, databaseUrl, rowsOf } from "../../support/process/Process.ts"

const ImpatientApi = Layer.provide(IsolatedApiTest, Layer.succeed(QueryTimeout, 300))

layer(ImpatientApi, { excludeTestServices: true, timeout: "60 seconds" })("Slow queries", (it) => {
  it.effect("a query that takes too long is cancelled and refused with 422 and advice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      yield* sql`alter table product_keys rename to original_keys`
      yield* sql`create view product_keys as select * from original_keys where pg_sleep(20) is not null`
      const answer = yield* client.get("/products/search?sort=price")
      assert.strictEqual(answer.status, 422, answer.text)
      assert.include(errorOf(answer).error, "Sort by createdAt")
      const active = `
        select query from pg_stat_activity
        where datname = current_database() and application_name = 'partner-api' and state = 'active'
          and query like '%product_keys%'
      `
      assert.deepStrictEqual(yield* rowsOf(yield* connection(yield* databaseUrl), active), [])
    })
  )
})
