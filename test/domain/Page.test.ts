import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { issuesOf } from "../../src/domain/json/Decoder.ts"
import { DEFAULT_LIMIT, MAX_LIMIT, PageLimit } from "../../src/domain/Page.ts"

const decode = Schema.decodeUnknownResult(PageLimit)

describe("Page limit", () => {
  it("limit defaults to 50 and is capped at 200", () => {
    assert.deepStrictEqual([DEFAULT_LIMIT, MAX_LIMIT], [50, 200])
  })

  it("a limit above 200 decodes to 200", () => {
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

  it("rejects limits that are below 1 or not an integer", () => {
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
