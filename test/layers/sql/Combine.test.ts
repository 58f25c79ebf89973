import { assert, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { combine } from "../../../src/layers/sql/Transaction.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("combine", (it) => {
  it.effect("combine leaves a single statement unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const update = sql`update a set b = ${"b"} where c = ${"c"}`
      assert.deepStrictEqual(combine(sql, [update]).compile(), ["update a set b = $1 where c = $2", ["b", "c"]])
    })
  )

  it.effect("combine joins several statements into one and renumbers their parameters", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const values = Array.range(1, 11)
      const several = Array.make(
        sql`delete from a where b = ${"x"} or c = ${"x"}`,
        sql`insert into d values (${sql.csv(values.map((value) => sql`${value}`))})`,
        sql`update e set f = ${"z"} where g = ${"y"}`
      )
      assert.deepStrictEqual(combine(sql, several).compile(), [
        "with write_0 as (delete from a where b = $1 or c = $2), " +
          "write_1 as (insert into d values ($3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)) " +
          "update e set f = $14 where g = $15",
        ["x", "x", ...values, "z", "y"]
      ])
    })
  )

  it.effect("combine produces the same text for statements of the same shape", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const remove = (id: number) => sql`delete from a where b = ${id}`
      const insert = (id: number, name: number) => sql`insert into a values (${id}, ${name})`
      const [text] = combine(sql, [remove(1), insert(2, 3)]).compile()
      assert.deepStrictEqual(combine(sql, [remove(4), insert(5, 6)]).compile(), [text, [4, 5, 6]])
      assert.deepStrictEqual(combine(sql, [insert(7, 8), remove(9)]).compile(), [
        "with write_0 as (insert into a values ($1, $2)) delete from a where b = $3",
        [7, 8, 9]
      ])
    })
  )
})
