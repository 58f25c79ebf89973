import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { facetsJson, facetsOf, isIndexed, term, termsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import { FIELDS, type RuleField } from "../../src/domain/catalog/Rule.ts"
import { stringify } from "../../src/domain/Json.ts"
import { amount, phrase, randomProduct } from "../data/RandomProducts.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8058"
const given = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = randomProduct.map((input) => facetsOf(newProduct(input, given)))

describe("Facets", () => {
  it("answer every field that a rule may name, and nothing else", () => {
    fc.assert(fc.property(facets, (facets) => assert.sameMembers(Object.keys(facets), Object.keys(FIELDS))))
  })

  it("hold each value in the form that its kind is compared in", () => {
    const found = facetsOf(
      newProduct(
        {
          name: "Walnut DESK",
          slug: "ignored",
          vendorName: "ÅSA",
          tags: ["Oak", "ΟΔΟΣ"],
          price: 1,
          variants: [
            { title: "A", price: 3 },
            { title: "b", sku: "S" }
          ]
        },
        given
      )
    )
    assert.deepInclude(found, {
      title: "walnut desk",
      slug: "desk",
      vendorName: "åsa",
      category: null,
      currencyCode: "eur",
      tags: ["oak", "οδοσ"],
      price: 1,
      costPrice: null,
      "variant.title": ["a", "b"],
      "variant.sku": ["s"],
      "variant.barcode": [],
      "variant.price": [3],
      "variant.stock": [],
      isActive: true,
      createdAt: "2026-01-31T09:30:00.123Z"
    })
  })

  it("are stored without what is missing and without the description, with all digits", () => {
    fc.assert(
      fc.property(facets, amount, (facets, price) => {
        const stored = facetsJson({ ...facets, price })
        const expected = Object.entries({ ...facets, price }).filter(
          ([key, value]) => value !== null && key !== "description"
        )
        assert.strictEqual(stored, stringify(Object.fromEntries(expected)))
        assert.include(stored, `"price":${stringify(price)},`)
      })
    )
  })
})

describe("Terms", () => {
  const indexed: ReadonlyArray<RuleField> = [
    "tags",
    "vendorName",
    "productType",
    "category",
    "categoryId",
    "categoryName"
  ]

  it("are whole numbers of 32 bits, the same for the same fact", () => {
    fc.assert(
      fc.property(fc.constantFrom(...indexed), phrase, (field, value) => {
        const found = term(STORE, field, value)
        assert.isTrue(Number.isInteger(found) && Math.abs(found) <= 2 ** 31)
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
