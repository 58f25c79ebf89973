import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { matches } from "../../../src/domain/catalog/Matcher.ts"
import { CreateProduct, newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { conditionsOf, Rules } from "../../../src/domain/catalog/Rule.ts"
import { foldCase } from "../../../src/domain/Text.ts"
import { anyText, phrase, randomProduct } from "../../data/RandomProducts.ts"
import { rulesNear } from "../../data/RandomRules.ts"

const rules = Schema.decodeUnknownSync(Rules)
const toCreate = Schema.decodeUnknownSync(CreateProduct)

const generated = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "walnut-desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = (input: unknown) => facetsOf(newProduct(toCreate(input), generated))

const desk = facets({
  name: "Walnut Desk",
  vendorName: "Möbel & Söhne",
  description: "",
  tags: ["Oak", "Office Chair"],
  price: 19.9,
  weight: 0.10000000000000002,
  variants: [{ title: "Wide", price: 5 }, { sku: "W-2", price: 50 }, {}]
})

/** Field, relation, value, and the expected match with the desk. */
const CASES: ReadonlyArray<readonly [string, string, unknown, boolean]> = [
  ["title", "equals", "walnut desk", true],
  ["title", "equals", "walnut", false],
  ["title", "not_equals", "WALNUT DESK", false],
  ["title", "contains", "NUT D", true],
  ["title", "contains", "", true],
  ["title", "not_contains", "oak", true],
  ["title", "starts_with", "Wal", true],
  ["title", "starts_with", "alnut", false],
  ["title", "ends_with", "DESK", true],
  ["title", "ends_with", "des", false],
  ["title", "in", ["x", "WALNUT desk"], true],
  ["title", "not_in", ["x", "y"], true],
  ["title", "not_in", ["x", "Walnut Desk"], false],
  ["vendorName", "equals", "MÖBEL & SÖHNE", true],
  ["vendorName", "equals", "MOBEL & SOHNE", false],
  ["description", "is_set", null, true],
  ["description", "equals", "", true],
  ["category", "is_set", null, false],
  ["category", "is_not_set", null, true],
  ["category", "equals", "", false],
  ["category", "contains", "", false],
  ["category", "not_contains", "", true],
  ["category", "not_equals", "x", true],
  ["category", "not_in", ["x"], true],
  ["tags", "equals", "oak", true],
  ["tags", "contains", "chair", true],
  ["tags", "not_contains", "chair", false],
  ["tags", "not_equals", "oak", false],
  ["tags", "not_equals", "ash", true],
  ["tags", "is_set", null, true],
  ["price", "equals", "19.90", true],
  ["price", "equals", 19.9, true],
  ["price", "greater_than", 19.9, false],
  ["price", "greater_than", 19.89, true],
  ["price", "greater_or_equal", 19.9, true],
  ["price", "less_than", 19.9, false],
  ["price", "less_or_equal", "19.9", true],
  ["price", "greater_than", 5, true],
  ["price", "greater_than", -1, true],
  ["price", "in", [1, "19.9000"], true],
  ["weight", "greater_than", 0.1, true],
  ["weight", "equals", 0.1, false],
  ["weight", "equals", "0.1000000000000000200", true],
  ["costPrice", "less_than", 1, false],
  ["costPrice", "not_equals", 1, true],
  ["costPrice", "is_not_set", null, true],
  ["variant.price", "less_than", 10, true],
  ["variant.price", "greater_than", 10, true],
  ["variant.price", "equals", 10, false],
  ["variant.price", "not_equals", 5, false],
  ["variant.stock", "is_set", null, false],
  ["variant.stock", "not_in", [1], true],
  ["variant.title", "starts_with", "w", true],
  ["variant.sku", "equals", "w-2", true],
  ["variant.barcode", "is_not_set", null, true],
  ["isActive", "equals", true, true],
  ["isActive", "not_equals", true, false],
  ["onSale", "equals", false, true],
  ["createdAt", "equals", "2026-01-31T10:30:00.123+01:00", true],
  ["createdAt", "greater_than", "2026-01-31T09:30:00.122Z", true],
  ["createdAt", "less_than", "2026-01-31T09:30:00.123Z", false],
  ["createdAt", "less_or_equal", "2026-01-31T09:30:00.123Z", true],
  ["updatedAt", "in", ["2026-01-31T09:30:00.123Z"], true]
]

describe("Rules", () => {
  for (const [field, relation, value, expected] of CASES) {
    it(`${field} ${relation} ${JSON.stringify(value)} ${expected ? "matches" : "does not match"}`, () => {
      assert.strictEqual(matches(desk, conditionsOf(rules([{ field, relation, value }])), false), expected)
    })
  }

  it("a negated relation matches exactly if its positive form does not", () => {
    const pairs = [
      ["equals", "not_equals", (value: string) => value],
      ["contains", "not_contains", (value: string) => value],
      ["in", "not_in", (value: string) => [value]],
      ["is_set", "is_not_set", () => null]
    ] as const
    const field = fc.constantFrom("title", "vendor", "category", "description", "tags", "variant.sku")
    fc.assert(
      fc.property(randomProduct, field, phrase, fc.constantFrom(...pairs), (input, field, text, [yes, no, value]) => {
        const product = facetsOf(newProduct(input, generated))
        const matchesWith = (relation: string) =>
          matches(product, conditionsOf(rules([{ field, relation, value: value(text) }])), false)
        assert.strictEqual(matchesWith(yes), !matchesWith(no))
      })
    )
  })

  it("contains matches every part of a text, in either case", () => {
    const characters = fc.oneof(phrase, anyText).map((text) => [...`${text}ΟΔΟΣ`])
    fc.assert(
      fc.property(characters, fc.nat(12), fc.nat(12), fc.boolean(), (characters, from, length, upper) => {
        const part = characters.slice(from, from + length).join("")
        const product = facets({ name: "Part", description: characters.join("") })
        const value = upper ? part.toUpperCase() : part
        // Some letters, such as ß and ſ, do not survive a change to upper case and back.
        fc.pre(foldCase(value) === foldCase(part))
        assert.isTrue(
          matches(product, conditionsOf(rules([{ field: "description", relation: "contains", value }])), false)
        )
      }),
      { numRuns: 500 }
    )
  })
})

describe("Combined rules", () => {
  const yes = { field: "title", relation: "is_set" }
  const no = { field: "title", relation: "is_not_set" }

  it("all rules must match, or any if disjunctive, and no rules match nothing", () => {
    for (const [input, all, any] of [
      [[], false, false],
      [[yes], true, true],
      [[no], false, false],
      [[yes, no], false, true],
      [[yes, yes], true, true],
      [[no, no], false, false]
    ] as const) {
      assert.strictEqual(matches(desk, conditionsOf(rules(input)), false), all)
      assert.strictEqual(matches(desk, conditionsOf(rules(input)), true), any)
    }
  })

  it("combined rules match like the combination of their single results", () => {
    fc.assert(
      fc.property(
        randomProduct.chain((input) => {
          const product = facetsOf(newProduct(input, generated))
          return fc.tuple(fc.constant(product), rulesNear([product]))
        }),
        ([product, { disjunctive, rules: sent }]) => {
          const conditions = conditionsOf(rules(sent))
          const each = conditions.map((condition) => matches(product, [condition], false))
          const expected = disjunctive ? each.includes(true) : each.length > 0 && !each.includes(false)
          assert.strictEqual(matches(product, conditions, disjunctive), expected)
        }
      ),
      { numRuns: 300 }
    )
  })

  it("every valid rule becomes a condition", () => {
    const product = facets({ name: "Desk" })
    const decode = Schema.decodeUnknownResult(Rules)
    fc.assert(
      fc.property(rulesNear([product, desk]), ({ rules }) => {
        assert.strictEqual(conditionsOf(Result.getOrThrow(decode(rules))).length, rules.length)
      })
    )
  })
})

describe("Case folding", () => {
  it("foldCase of a concatenation equals the concatenation of its folded parts", () => {
    const text = fc.oneof(phrase, anyText)
    fc.assert(
      fc.property(text, text, (a, b) => assert.strictEqual(foldCase(a + b), foldCase(a) + foldCase(b))),
      { numRuns: 1000 }
    )
  })

  it("foldCase maps both cases of a letter to one, in every script", () => {
    for (const [upper, lower] of [
      ["ÅNGSTRÖM", "ångström"],
      ["ÇĞÖŞÜ", "çğöşü"],
      ["МОСКВА", "москва"],
      ["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
      ["ԵՐԵՎԱՆ", "երեվան"],
      ["ÉCOLE", "école"],
      ["𐐀", "𐐨"]
    ] as const) {
      assert.strictEqual(foldCase(upper), foldCase(lower))
      assert.strictEqual(foldCase(foldCase(upper)), foldCase(upper))
    }
  })
})
