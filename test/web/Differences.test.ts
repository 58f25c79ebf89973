import { makeDates } from "../../src/web/shared/data/format.ts"
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../src/domain/json/Json.ts"
import { differencesOf, fieldName } from "../../src/web/shared/data/differences.ts"

const dates = makeDates()
const ID = "01890a5d-ac96-774b-bcce-b302099a805"

const textDifferences = (before: JsonObject | null, after: JsonObject | null) =>
  differencesOf(before, after, { dates }).map(({ path: _, ...difference }) => difference)

describe("Differences by field", () => {
  it("values are formatted as text, without version and timestamps", () => {
    const before = { version: 1, updatedAt: "then", price: 0.1, isActive: true, tags: ["oak"], sku: null, name: "Desk" }
    const after = {
      version: 2,
      updatedAt: "now",
      price: 1234.5,
      isActive: false,
      tags: ["oak", "new"],
      sku: "D",
      name: "Desk"
    }
    assert.deepStrictEqual(textDifferences(before, after), [
      { name: "Price", before: "0.1", after: "1,234.5" },
      { name: "Active", before: "Yes", after: "No" },
      { name: "Tags", before: "oak", after: "oak, new" },
      { name: "SKU", before: "", after: "D" }
    ])
  })

  it("prices of products are in the currency, with their change in percent", () => {
    const [price, cost] = differencesOf(
      { price: 125.95, costPrice: 0 },
      { price: 21, costPrice: 2 },
      { currency: "EUR", dates }
    )
    assert.deepStrictEqual([price?.before, price?.after, cost?.after], ["€125.95", "€21.00 (-83%)", "€2.00"])
  })

  it("permissions are formatted as text, and times in the browser's time zone", () => {
    const before = { scopes: ["read_products"], state: "active" }
    const after = { scopes: ["read_products", "write_inventory"], state: "active" }
    assert.deepStrictEqual(textDifferences(before, after), [
      { name: "Permissions", before: "See products", after: "See products · Change the stock of products" }
    ])
    const [day] = textDifferences(null, { installationId: `${ID}1`, startedAt: "2026-01-31T12:00:00.000Z" })
    assert.deepStrictEqual(day, { name: "Started at", before: "", after: dates.time("2026-01-31T12:00:00.000Z") })
  })

  it("numbers keep all digits", () => {
    const price = 0.1234567890123457
    assert.deepStrictEqual(textDifferences({ price: 0.12345678901234568 }, { price }), [
      { name: "Price", before: "0.12345678901234568", after: "0.1234567890123457" }
    ])
  })

  it("nested fields are compared, and variants are matched by id", () => {
    const [small, large, huge] = ["1", "2", "3"].map((end) => ({ id: `${ID}${end}`, price: 1 }))
    const before = {
      variants: [
        { ...small, title: "Small" },
        { ...large, title: "Large" }
      ],
      dimensions: { width: 1 }
    }
    const after = {
      variants: [
        { ...large, title: "Large", price: 2 },
        { ...huge, title: "Huge" }
      ],
      dimensions: { width: 1, unit: "cm" }
    }
    assert.deepStrictEqual(textDifferences(before, after), [
      { name: "Variants · Small · Price", before: "1", after: "" },
      { name: "Variants · Small · Title", before: "Small", after: "" },
      { name: "Variants · Large · Price", before: "1", after: "2" },
      { name: "Variants · Huge · Price", before: "", after: "1" },
      { name: "Variants · Huge · Title", before: "", after: "Huge" },
      { name: "Dimensions · Unit", before: "", after: "cm" }
    ])
  })

  it("products of a collection are summarized as added, removed or reordered", () => {
    const [a, b, c] = ["1", "2", "3"].map((end) => `${ID}${end}`)
    const [moved] = textDifferences({ productIds: [a, b] }, { productIds: [b, a] })
    assert.deepStrictEqual(moved, { name: "Products", before: "2 products", after: "2 products, reordered" })
    const [changed] = textDifferences({ productIds: [a, b] }, { productIds: [c, a] })
    assert.strictEqual(changed?.after, "2 products: 1 added, 1 removed")
    assert.deepStrictEqual(textDifferences(null, { productIds: [a] }), [
      { name: "Products", before: "", after: "1 product" }
    ])
  })

  it("empty fields of a created resource are omitted", () => {
    const rules = [{ field: "tags", relation: "starts_with", value: "oak" }]
    assert.deepStrictEqual(
      textDifferences(null, { title: "Oak", description: null, tags: [], metafields: {}, rules }),
      [
        { name: "Title", before: "", after: "Oak" },
        { name: "Rules", before: "", after: "Field: tags, Relation: starts_with, Value: oak" }
      ]
    )
  })

  it("markup and field names of Object.prototype are treated as plain text", () => {
    assert.deepStrictEqual(textDifferences({ constructor: "<b>" }, { constructor: "</b>" }), [
      { name: "Constructor", before: "<b>", after: "</b>" }
    ])
    assert.strictEqual(fieldName("countryOfOrigin"), "Country of origin")
  })
})
