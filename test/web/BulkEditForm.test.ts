import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { type BulkChoices, bulkEdits } from "../../src/web/features/products/list/bulkEdits.ts"
import { samplesOf } from "../../src/web/features/products/list/BulkSamples.tsx"

const desk: Product = newProduct(
  {
    name: "Desk",
    price: 15,
    variants: [{ title: "120", price: 10, stock: 3 }, { title: "160", price: 20 }, { title: "180" }]
  },
  { id: ProductId.make(uuidV7(0)), slug: "desk", at: new Date(0), currencyCode: "EUR" }
)

const parse = (name: string, input: string, choices: BulkChoices = {}) =>
  bulkEdits.find((edit) => edit.name === name)?.parse(input, choices)

const shown = (products: ReadonlyArray<Product>, edit: Parameters<typeof samplesOf>[1]) =>
  samplesOf(products, edit).map(({ after, before, name }) => [name, before, after])

describe("Bulk edits", () => {
  it("an empty text stores no value, as in the editor, and commas separate tags", () => {
    assert.deepStrictEqual(parse("Set vendor", " "), Result.succeed({ patch: { vendorName: null } }))
    assert.deepStrictEqual(parse("Set category", ""), Result.succeed({ patch: { category: null } }))
    assert.deepStrictEqual(parse("Add tag", "a, b"), Result.succeed({ tags: { add: ["a", "b"] } }))
    assert.deepStrictEqual(parse("Remove tag", "a, b"), Result.succeed({ tags: { remove: ["a", "b", "a, b"] } }))
    assert.deepStrictEqual(parse("Add tag", " , "), Result.fail("Enter a tag"))
  })

  it("prices are set or change by an amount or percent, rounded to a step, with or without the variants", () => {
    assert.deepStrictEqual(parse("Set price", "12.5"), Result.succeed({ price: { set: 12.5 } }))
    assert.deepStrictEqual(parse("Increase or decrease price", "-2"), Result.succeed({ price: { add: -2 } }))
    assert.deepStrictEqual(
      parse("Change sale price by percent", "-10", { round: 0.05 }),
      Result.succeed({ discountedPrice: { percent: -10, round: 0.05 } })
    )
    assert.isTrue(Result.isFailure(parse("Change price by percent", "-101") ?? Result.succeed(undefined)))
    assert.deepStrictEqual(parse("Remove sale price", ""), Result.succeed({ discountedPrice: { set: null } }))
    assert.deepStrictEqual(
      parse("Set price", "12.50", { variants: false }),
      Result.succeed({ price: { set: 12.5, variants: false } })
    )
    assert.deepStrictEqual(
      parse("Set price", "12.345", { currency: "EUR" }),
      Result.fail("Use at most 2 decimal places, such as 1234.50")
    )
    assert.deepStrictEqual(parse("Set stock", "1,000"), Result.succeed({ stock: { set: 1000, variants: true } }))
    assert.deepStrictEqual(parse("Add to collection", ""), Result.fail("Choose a collection"))
  })

  it("examples are the numbers of products and variants before and after the edit, up to ten", () => {
    assert.deepStrictEqual(shown([desk], { price: { percent: 10 } }), [
      ["Desk", 15, 16.5],
      ["Desk · 120", 10, 11],
      ["Desk · 160", 20, 22]
    ])
    assert.deepStrictEqual(shown([desk], { price: { percent: 10, variants: false } }), [["Desk", 15, 16.5]])
    assert.deepStrictEqual(shown([desk], { price: { add: -12 } }), [])
    assert.deepStrictEqual(shown([desk], { stock: { add: 1, variants: true } }).at(-1), ["Desk · 180", null, 1])
    assert.lengthOf(
      shown(
        Array.from({ length: 9 }, () => desk),
        { price: { set: 1 } }
      ),
      10
    )
    assert.deepStrictEqual(shown([desk], { patch: { price: 3 } }), [])
  })
})
