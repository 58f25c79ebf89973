import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { issuesOf } from "../../src/domain/json/Decoder.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, PageLimit } from "../../src/domain/Page.ts"

const decode = Schema.decodeUnknownResult(PageLimit)

describe("The limit of a page", () => {
  it("is 50 when absent and 200 at most", () => {
    assert.deepStrictEqual([DEFAULT_LIMIT, MAX_LIMIT], [50, 200])
  })

  it("is what was asked for up to 200, and 200 for anything above", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), (n) => {
        assert.deepStrictEqual(decode(String(n)), Result.succeed(n > 200n ? 200 : Number(n)))
      })
    )
    for (const [text, limit] of [
      ["1", 1],
      ["199", 199],
      ["200", 200],
      ["201", 200],
      ["007", 7]
    ] as const) {
      assert.deepStrictEqual(decode(text), Result.succeed(limit))
    }
  })

  it("is refused below 1 and when it is no integer", () => {
    for (const text of [
      "0",
      "00",
      "-1",
      "-0",
      "1.5",
      "1.0",
      "1e2",
      "",
      " ",
      " 5",
      "5 ",
      "+5",
      "ten",
      "٥",
      "0x10",
      "NaN",
      "Infinity"
    ]) {
      const message = Result.match(decode(text), {
        onFailure: issuesOf,
        onSuccess: String
      })
      assert.deepStrictEqual(message, ["must be an integer of at least 1"], text)
    }
  })
})
