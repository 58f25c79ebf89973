import { assert, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import {
  editableFields,
  PRODUCT_DEFAULTS,
  PRODUCT_FIELDS,
  productFields
} from "../../../src/domain/catalog/ProductFields.ts"
import { columnFields } from "../../../src/domain/catalog/ProductFieldSets.ts"
import { FIELDS } from "../../../src/domain/catalog/Rule.ts"
import { shopifyProduct } from "../../../src/domain/imports/Shopify.ts"
import { makeShopifyColumns } from "../../../src/domain/imports/ShopifyColumns.ts"
import { COLUMNS } from "../../../src/domain/imports/ShopifyTable.ts"
import { uuidV7 } from "../../../src/domain/Uuid.ts"
import { FORM_FIELDS } from "../../../src/web/features/products/editor/productFields.ts"

const desk = newProduct(
  { name: "Desk", tags: ["Oak"], variants: [{ sku: "D-1" }] },
  { id: ProductId.make(uuidV7(0)), slug: "desk", at: new Date(0), currencyCode: "EUR" }
)

it("each default is a value that clients can send", () => {
  for (const field of Struct.keys(PRODUCT_DEFAULTS)) {
    const decoded = Schema.decodeUnknownResult(editableFields[field])(PRODUCT_DEFAULTS[field])
    assert.deepStrictEqual(decoded, Result.succeed(PRODUCT_DEFAULTS[field]), field)
  }
})

it("a product has a facet for each field of rules and no other, with folded texts", () => {
  const facets = facetsOf(desk)
  assert.sameMembers(Object.keys(facets), Object.keys(FIELDS))
  assert.deepInclude(facets, { title: "desk", tags: ["oak"], currencyCode: "eur", price: 0, "variant.sku": ["d-1"] })
})

it("the form has each field of a product once", () => {
  assert.sameMembers([...FORM_FIELDS], [...productFields])
})

it("no two columns of a Shopify export have the same name in files", () => {
  const headers = Struct.keys(COLUMNS).flatMap((column) => COLUMNS[column].headers)
  assert.strictEqual(new Set(headers).size, headers.length)
})

/** Imports a product from one row of a Shopify export. */
const imported = (cells: Readonly<Record<string, string>>) => {
  const columns = Result.getOrThrow(makeShopifyColumns(Object.keys(cells)))
  const row = Result.getOrThrow(columns.read(2, Object.values(cells)))
  const product = Result.getOrThrow(shopifyProduct(columns, [row], { replaceVariants: false, weightUnit: "kg" }))
  return Result.getOrThrow(product(undefined, new Date(0)))
}

it("the value of each column of a field reaches the field, and an empty cell its default", () => {
  for (const field of columnFields) {
    const [header] = PRODUCT_FIELDS[field].column.headers
    const [example] = Schema.resolveAnnotations(Schema.toEncoded(editableFields[field]))?.examples ?? []
    const cell = Array.isArray(example) ? example.join(",") : String(example)
    assert.deepStrictEqual(imported({ handle: "desk", title: "Desk", [header]: cell })[field], example, field)
    if (field !== "name") {
      assert.deepStrictEqual(imported({ title: "Desk", [header]: "" })[field], PRODUCT_DEFAULTS[field], field)
    }
  }
})
