import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import type { RuleField } from "../../src/domain/catalog/Rule.ts"
import { codesOf } from "../../src/layers/catalog/ProductRepo.ts"
import { indexOf, isIndexed, term } from "../../src/layers/catalog/Terms.ts"
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

  it("of a product are those of each of its values in the fields that have an index, and of what it is found by", () => {
    fc.assert(
      fc.property(facets, (facets) => {
        const { entries, terms } = indexOf(STORE, facets)
        const ofRules = indexed.flatMap((field) =>
          [facets[field]].flat().flatMap((value) => (typeof value === "string" ? [term(STORE, field, value)] : []))
        )
        const ofSearch = entries.map(({ term }) => term)
        assert.sameMembers([...terms], [...new Set([...ofRules, ...ofSearch])])
      })
    )
    for (const field of indexed) assert.isTrue(isIndexed(field))
  })

  it("a product is found by the words of its name, vendor, category and tags, and by its codes as a whole", () => {
    const product = newProduct(
      {
        name: "Café-Tisch, 160 cm",
        vendorName: "Oak & Sons",
        tags: ["Oak", "Home office"],
        sku: "DESK-1",
        barcode: "400 6"
      },
      given
    )
    const { entries } = indexOf(STORE, facetsOf(product))
    assert.deepStrictEqual(
      entries.map(({ word }) => word),
      ["oak", "home", "office", "oak", "sons", "cafe-tisch", "cafe", "tisch", "160", "cm"]
    )
    assert.deepStrictEqual(codesOf(product), ["desk-1", "400 6"])
  })
})
