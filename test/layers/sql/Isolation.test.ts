import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { IsolatedApiTest, dataOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { freshDatabase } from "../../support/postgres/Postgres.ts"
import { setDefaultLevel } from "../../support/postgres/OnServer.ts"
import { databaseUrl, startSecondServer } from "../../support/process/Process.ts"
import { newKey } from "../../support/rpc/Rpc.ts"

const WRITERS = Array.from({ length: 12 }, (_, index) => index)

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Isolation level", (it) => {
  it.effect.each(["repeatable read", "serializable"])(
    "a database whose default level is %s changes neither transactions nor single statements",
    (level) =>
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
        yield* setDefaultLevel(yield* databaseUrl, level)
        const server = makeClient(yield* startSecondServer, client.token)
        const responses = yield* Effect.forEach(
          WRITERS,
          (index) =>
            Effect.all([
              server.post("/products", { name: `Cup ${index}` }, { key: newKey() }),
              server.patch(`/products/${String(id)}/inventory`, { adjust: 1 }),
              server.put("/app-data/settings", { key: `theme-${index}`, value: index })
            ]),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          responses.flat().map(({ status, text }) => (status < 300 ? status : text)),
          WRITERS.flatMap(() => [201, 200, 200])
        )
        const sql = yield* SqlClient.SqlClient
        const [counts] = yield* sql`select product_count::int as products from stores where id = ${storeId}`
        assert.deepStrictEqual(counts, { products: WRITERS.length + 1 })
      })
  )

  it.effect("migrations run at read committed and restore the level of the session", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* setDefaultLevel(Redacted.value(url), "serializable")
      const level = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select current_setting('transaction_isolation') as level`
      )
      const seen: Array<unknown> = []
      const observed = Effect.tap(level, (rows) => Effect.sync(() => void seen.push(...rows)))
      const after = yield* Effect.andThen(migrate({ "0001_baseline": observed }, { "0001_baseline": "" }), level).pipe(
        Effect.provide(postgres({ url, maxConnections: 1, withoutTimeouts: true }))
      )
      assert.deepStrictEqual(seen, [{ level: "read committed" }])
      assert.deepStrictEqual(after, [{ level: "serializable" }])
    })
  )
})
