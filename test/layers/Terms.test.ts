import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import type { RuleField } from "../../src/domain/catalog/Rule.ts"
import { isIndexed, term, termsOf } from "../../src/layers/catalog/Terms.ts"
import { phrase, randomProduct } from "../data/RandomProducts.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8058"
const given = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = randomProduct.map((input) => facetsOf(newProduct(input, given)))

describe("Terms", () => {
  const indexed: ReadonlyArray<RuleField> = [
    "tags",
    "vendorName",
    "productType",
    "category",
    "categoryId",
    "categoryName"
  ]

  it("are UUIDs, the same for the same fact", () => {
    fc.assert(
      fc.property(fc.constantFrom(...indexed), phrase, (field, value) => {
        const found = term(STORE, field, value)
        assert.match(found, /^[0-9a-f]{32}$/)
        assert.strictEqual(term(STORE, field, value), found)
      })
    )
  })

  it("differ with the store, the field and the value, and with where one ends and the next begins", () => {
    const facts = [
      [STORE, "tags", "oak"],
      [`${STORE}t`, "tags", "oak"],
      [STORE, "category", "oak"],
      [STORE, "categoryId", "oak"],
      [STORE, "category", "Idoak"],
      [STORE, "tags", "oaks"],
      [STORE, "tags", "kao"],
      [STORE, "tags", ""]
    ] as const
    assert.strictEqual(new Set(facts.map(([store, field, value]) => term(store, field, value))).size, facts.length)
  })

  it("of a product are those of each of its values in the fields that have an index, each once", () => {
    fc.assert(
      fc.property(facets, (facets) => {
        const terms = termsOf(STORE, facets)
        const expected = indexed.flatMap((field) =>
          [facets[field]].flat().flatMap((value) => (typeof value === "string" ? [term(STORE, field, value)] : []))
        )
        assert.sameMembers([...terms], [...new Set(expected)])
      })
    )
    for (const field of indexed) assert.isTrue(isIndexed(field))
  })
})
