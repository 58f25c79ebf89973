import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { facetsJson, facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { FIELDS } from "../../../src/domain/catalog/Rule.ts"
import { amount, randomProduct } from "../../data/RandomProducts.ts"

const generated = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}

const facets = randomProduct.map((input) => facetsOf(newProduct(input, generated)))

describe("Facets", () => {
  it("facets have exactly the fields that rules can use", () => {
    fc.assert(fc.property(facets, (facets) => assert.sameMembers(Object.keys(facets), Object.keys(FIELDS))))
  })

  it("facets store text in lower case and the values of all variants", () => {
    const result = facetsOf(
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
        generated
      )
    )
    assert.deepInclude(result, {
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

  it("the JSON of facets omits null values and the description, and keeps all digits", () => {
    fc.assert(
      fc.property(facets, amount, (facets, price) => {
        const stored = facetsJson({ ...facets, price })
        const expected = Object.entries({ ...facets, price }).filter(
          ([key, value]) => value !== null && key !== "description"
        )
        assert.strictEqual(stored, JSON.stringify(Object.fromEntries(expected)))
        assert.include(stored, `"price":${JSON.stringify(price)},`)
      })
    )
  })
})
