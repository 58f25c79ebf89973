import { assert, describe, it } from "@effect/vitest"
import { Array } from "effect"
import { combine, sql } from "../../../src/layers/sql/Statement.ts"

const remove = (id: number) => sql`delete from a where b = ${id}`
const insert = (id: number, name: number) => sql`insert into a values (${id}, ${name})`

describe("combine", () => {
  it("sends one statement as it is", () => {
    assert.deepStrictEqual(combine([sql`update a set b = ${"b"} where c = ${"c"}`]).compile(), [
      "update a set b = $1 where c = $2",
      ["b", "c"]
    ])
  })

  it("makes one statement of several, each with its own values", () => {
    const values = Array.range(1, 11)
    const several = Array.make(
      sql`delete from a where b = ${"x"} or c = ${"x"}`,
      sql`insert into d values (${sql.csv(values.map((value) => sql`${value}`))})`,
      sql`update e set f = ${"z"} where g = ${"y"}`
    )
    assert.deepStrictEqual(combine(several).compile(), [
      "with write_0 as (delete from a where b = $1 or c = $2), " +
        "write_1 as (insert into d values ($3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)) " +
        "update e set f = $14 where g = $15",
      ["x", "x", ...values, "z", "y"]
    ])
  })

  it("gives statements of the same shape the same text", () => {
    const [text] = combine([remove(1), insert(2, 3)]).compile()
    assert.deepStrictEqual(combine([remove(4), insert(5, 6)]).compile(), [text, [4, 5, 6]])
    assert.deepStrictEqual(combine([insert(7, 8), remove(9)]).compile(), [
      "with write_0 as (insert into a values ($1, $2)) delete from a where b = $3",
      [7, 8, 9]
    ])
  })
})

describe("sql", () => {
  it("makes a parameter of each value, and text of names and parts", () => {
    const part = sql`where c = ${"x'y"}`
    assert.deepStrictEqual(sql`update ${sql("a")} set b = ${1} ${part}`.compile(), [
      'update "a" set b = $1 where c = $2',
      [1, "x'y"]
    ])
  })
})
