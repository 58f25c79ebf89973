import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { matches } from "../../../src/domain/catalog/Matcher.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { conditionsOf, Rules } from "../../../src/domain/catalog/Rule.ts"
import { shown } from "../../data/RandomRules.ts"

const toRules = Schema.decodeUnknownSync(Rules)
const id = ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057")

const asked = (at: Date, relation: string, value: string) => {
  const product = newProduct({ name: "Cup" }, { id, slug: "cup", at, currencyCode: "EUR" })
  return matches(facetsOf(product), conditionsOf(toRules([{ field: "createdAt", relation, value }])), false)
}

/** Which relations hold for a product made at `at`. */
const order = (at: Date, value: string) => ({
  less: asked(at, "less_than", value),
  lessOrEqual: asked(at, "less_or_equal", value),
  equal: asked(at, "equals", value),
  notEqual: asked(at, "not_equals", value),
  greaterOrEqual: asked(at, "greater_or_equal", value),
  greater: asked(at, "greater_than", value)
})

/** The same for a product that is before, at or after the time. */
const ordered = (sign: number) => ({
  less: sign < 0,
  lessOrEqual: sign <= 0,
  equal: sign === 0,
  notEqual: sign !== 0,
  greaterOrEqual: sign >= 0,
  greater: sign > 0
})

/** Digits of a fraction of a second that tests may have. */
const DIGITS = 60

const exact = (millis: number, beyond: string) =>
  BigInt(millis) * 10n ** BigInt(DIGITS) + BigInt(beyond.padEnd(DIGITS, "0"))

const FIRST = Date.parse("0001-01-01T00:00:00Z")
const LAST = Date.parse("9998-12-31T23:59:59.999Z")

const instant = fc.oneof(
  fc.integer({ min: FIRST, max: LAST }),
  fc.constantFrom(
    -1,
    0,
    1,
    999,
    FIRST,
    LAST,
    Date.parse("2016-12-31T23:59:59.999Z"),
    Date.parse("2017-01-01T00:00:00Z")
  )
)
const beyond = fc.oneof(fc.constantFrom("", "0", "000", "0001", "9999"), fc.stringMatching(/^[0-9]{0,60}$/))

describe("A rule on a time", () => {
  it("compares instants exactly, whatever the digits of its fraction and its offset", () => {
    const property = fc.property(
      instant,
      fc.oneof(fc.constantFrom(-1000, -1, 0, 0, 1, 1000), fc.integer({ min: -1e12, max: 1e12 })),
      beyond,
      fc.integer({ min: -23, max: 23 }),
      fc.boolean(),
      (made, step, digits, hours, isBare) => {
        const millis = Math.min(Math.max(made + step, FIRST), LAST)
        const time = shown(new Date(millis).toISOString(), hours)
        const [whole, fraction] = [time.slice(0, 20), `${time.slice(20, 23)}${digits}`]
        // As few digits as say it, or all of them.
        const written = isBare ? `${whole}${fraction}`.replace(/\.?0*$/, "") : `${whole}${fraction}`
        const sign = exact(made, "") - exact(millis, digits)
        const value = `${written}${time.slice(23)}`
        assert.deepStrictEqual(order(new Date(made), value), ordered(sign < 0n ? -1 : sign > 0n ? 1 : 0), value)
      }
    )
    fc.assert(property, { numRuns: 3000 })
  })

  it("may name a leap second, which is after the second before it and before the one after it", () => {
    for (const value of ["2016-12-31T23:59:60Z", "2017-01-01T08:59:60.999+09:00", "2016-12-31T23:59:60.00001Z"]) {
      assert.deepStrictEqual(order(new Date("2016-12-31T23:59:59.999Z"), value), ordered(-1), value)
      assert.deepStrictEqual(order(new Date("2017-01-01T00:00:00.000Z"), value), ordered(1), value)
    }
  })
})
