import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PostgresTest } from "../support/PostgresTest.ts"

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A connection", (it) => {
  it.effect("plans a statement once, however long the lists are that it is given", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const within = Effect.gen(function* () {
        for (const length of [1, 1, 1, 1, 1, 1, 1, 100]) {
          const numbers = Array.from({ length }, (_, n) => n)
          const rows =
            yield* sql`select n from unnest(${numbers}::integer[]) as given (n) join stores on stores.name = n::text`
          assert.deepStrictEqual(rows, [])
        }
        return yield* sql`
          select generic_plans::integer as kept, custom_plans::integer as anew from pg_prepared_statements
          where statement like 'select n from unnest%'
        `
      })
      assert.deepStrictEqual(yield* sql.withTransaction(within), [{ kept: 8, anew: 0 }])
    })
  )
})
