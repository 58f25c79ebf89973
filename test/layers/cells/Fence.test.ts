import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import { StoreId } from "../../../src/domain/Store.ts"
import { addFence, createTriggers, dropTriggers, freeze, removeFence } from "../../../src/layers/storeMove/Fence.ts"
import { listMoveTables, storeColumn } from "../../../src/layers/storeMove/MoveTables.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

const STORE = StoreId.make("00000000-0000-4000-8000-00000000fe4c")

layer(PostgresTest, { excludeTestServices: true })("The fence of a moving store", (it) => {
  it.effect("each table of a store refuses a write with an error, and no trigger drops one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* listMoveTables(sql)
      yield* createTriggers(sql, STORE, tables, "source")

      const dropping = yield* sql`
        select t.tgrelid::regclass::text as "table", p.proname as function
        from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and (t.tgtype & 3) = 3 and p.prosrc ~* 'return\\s+null'
      `
      assert.deepStrictEqual(dropping, [])

      /** Inserts a row without its other columns, which only the fence comes before. A journal entry has a partition. */
      const write = (table: (typeof tables)[number]) => {
        const [columns, values] = table.name === "journal" ? [", part", ", 0"] : ["", ""]
        return sql`${sql.literal(
          `insert into "${table.name}" (${storeColumn(table)}${columns}) values ('${STORE}'${values})`
        )}`.pipe(
          Effect.flip,
          Effect.map(({ reason }) => (Predicate.hasProperty(reason.cause, "code") ? reason.cause.code : reason))
        )
      }
      const states = { arriving: addFence(sql, STORE, "arriving"), leaving: freeze(sql, STORE) }
      for (const [state, close] of Object.entries(states)) {
        yield* close
        for (const table of tables) assert.strictEqual(yield* write(table), "PA001", `${table.name} ${state}`)
        yield* removeFence(sql, STORE)
      }
      yield* dropTriggers(sql, STORE, tables)
    })
  )
})
