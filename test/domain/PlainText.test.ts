import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { parseUntrusted } from "../../src/domain/json/UntrustedJson.ts"

const needsEscape = (unit: string) => unit === '"' || unit === "\\" || unit < " "

const written = (unit: string) => (needsEscape(unit) ? JSON.stringify(unit).slice(1, -1) : unit)

/** A string of JSON with as few escapes as may be. */
const raw = (text: string) => `"${text.split("").map(written).join("")}"`

it("JSON of clients is refused for what its text holds, escaped or not, and for nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isKey) => {
      const isGood = text.isWellFormed() && !text.includes("\u0000") && !(isKey && text === "__proto__")
      for (const string of [raw(text), JSON.stringify(text)]) {
        const json = isKey ? `{${string}:1}` : `[${string}]`
        assert.strictEqual(Result.isSuccess(parseUntrusted(json)), isGood, json)
      }
    }),
    {
      examples: [
        ["\ud83d", false],
        ["\ud83d", true],
        ["\ud83d\ude00", false],
        ["\u0000", false],
        ["__proto__", true],
        ["__proto__", false]
      ]
    }
  )
})
