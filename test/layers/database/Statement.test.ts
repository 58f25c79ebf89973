import { assert, describe, it } from "@effect/vitest"
import { makeCombine, sql, statement } from "../../../src/layers/database/Statement.ts"

describe("combine", () => {
  const combine = makeCombine()

  it("sends one statement as it is", () => {
    assert.deepStrictEqual(combine([statement("update a set b = $2 where c = $1")("c", "b")]).compile(), [
      "update a set b = $2 where c = $1",
      ["c", "b"]
    ])
  })

  it("makes one statement of several, each with its own values, however often it names one", () => {
    const values = Array.from({ length: 11 }, (_, index) => index + 1)
    const places = values.map((value) => `$${value}`).join(", ")
    const several = [
      statement("delete from a where b = $1 or c = $1")("x"),
      statement(`insert into d values (${places})`)(...values),
      statement("update e set f = $2 where g = $1")("y", "z")
    ]
    assert.deepStrictEqual(combine(several).compile(), [
      "with write_0 as (delete from a where b = $1 or c = $1), " +
        "write_1 as (insert into d values ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)) " +
        "update e set f = $14 where g = $13",
      ["x", ...values, "y", "z"]
    ])
  })

  it("keeps the text of statements it was given before, and takes their values anew", () => {
    const [remove, insert] = [statement("delete from a where b = $1"), statement("insert into a values ($1, $2)")]
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
