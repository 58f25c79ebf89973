import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { parseUntrusted } from "../../src/domain/json/UntrustedJson.ts"

const needsEscape = (unit: string) => unit === '"' || unit === "\\" || unit < " "

const escaped = (unit: string) => (needsEscape(unit) ? JSON.stringify(unit).slice(1, -1) : unit)

/** A JSON string with as few escapes as possible. */
const raw = (text: string) => `"${text.split("").map(escaped).join("")}"`

it("untrusted JSON rejects lone surrogates, NUL and `__proto__` keys, escaped or not, and no other strings", () => {
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
