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

const matchesRule = (at: Date, relation: string, value: string) => {
  const product = newProduct({ name: "Cup" }, { id, slug: "cup", at, currencyCode: "EUR" })
  return matches(facetsOf(product), conditionsOf(toRules([{ field: "createdAt", relation, value }])), false)
}

/** The relations that match a product created at `at`. */
const matchingRelations = (at: Date, value: string) => ({
  less: matchesRule(at, "less_than", value),
  lessOrEqual: matchesRule(at, "less_or_equal", value),
  equal: matchesRule(at, "equals", value),
  notEqual: matchesRule(at, "not_equals", value),
  greaterOrEqual: matchesRule(at, "greater_or_equal", value),
  greater: matchesRule(at, "greater_than", value)
})

/** The relations that match a product before, at or after the time, by the sign of the difference. */
const expectedRelations = (sign: number) => ({
  less: sign < 0,
  lessOrEqual: sign <= 0,
  equal: sign === 0,
  notEqual: sign !== 0,
  greaterOrEqual: sign >= 0,
  greater: sign > 0
})

/** Maximum digits of a fraction of a second in these tests. */
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

describe("Rules on times", () => {
  it("times compare exactly, with any offset and number of fraction digits", () => {
    const property = fc.property(
      instant,
      fc.oneof(fc.constantFrom(-1000, -1, 0, 0, 1, 1000), fc.integer({ min: -1e12, max: 1e12 })),
      beyond,
      fc.integer({ min: -23, max: 23 }),
      fc.boolean(),
      (createdAt, step, digits, hours, isBare) => {
        const millis = Math.min(Math.max(createdAt + step, FIRST), LAST)
        const time = shown(new Date(millis).toISOString(), hours)
        const [whole, fraction] = [time.slice(0, 20), `${time.slice(20, 23)}${digits}`]
        // Without trailing zeros, or with all digits.
        const dateTime = isBare ? `${whole}${fraction}`.replace(/\.?0*$/, "") : `${whole}${fraction}`
        const sign = exact(createdAt, "") - exact(millis, digits)
        const value = `${dateTime}${time.slice(23)}`
        assert.deepStrictEqual(
          matchingRelations(new Date(createdAt), value),
          expectedRelations(sign < 0n ? -1 : sign > 0n ? 1 : 0),
          value
        )
      }
    )
    fc.assert(property, { numRuns: 3000 })
  })

  it("a leap second is after the previous second and before the next one", () => {
    for (const value of ["2016-12-31T23:59:60Z", "2017-01-01T08:59:60.999+09:00", "2016-12-31T23:59:60.00001Z"]) {
      assert.deepStrictEqual(
        matchingRelations(new Date("2016-12-31T23:59:59.999Z"), value),
        expectedRelations(-1),
        value
      )
      assert.deepStrictEqual(
        matchingRelations(new Date("2017-01-01T00:00:00.000Z"), value),
        expectedRelations(1),
        value
      )
    }
  })
})
