import { assert, describe, it } from "@effect/vitest"
import { together, write } from "../../src/layers/Writes.ts"

describe("together", () => {
  it("sends one write as it is", () => {
    assert.deepStrictEqual(together([write("update a set b = $2 where c = $1", ["c", "b"])]), [
      "update a set b = $2 where c = $1",
      ["c", "b"]
    ])
  })

  it("makes one statement of several, each with its own values, however often it names one", () => {
    const values = Array.from({ length: 11 }, (_, index) => index + 1)
    const places = values.map((value) => `$${value}`).join(", ")
    assert.deepStrictEqual(
      together([
        write("delete from a where b = $1 or c = $1", ["x"]),
        write(`insert into d values (${places})`, values),
        write("update e set f = $2 where g = $1", ["y", "z"])
      ]),
      [
        "with write_0 as (delete from a where b = $1 or c = $1), " +
          "write_1 as (insert into d values ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)) " +
          "update e set f = $14 where g = $13",
        ["x", ...values, "y", "z"]
      ]
    )
  })
})
