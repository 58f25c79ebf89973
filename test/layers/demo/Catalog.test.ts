import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { collections, products } from "../../../src/layers/demo/catalog.ts"

const distinct = (values: ReadonlyArray<unknown>) => new Set(values.filter((value) => value !== undefined)).size

/** Counts the products that match. */
const countWhere = (matches: (product: CreateProduct) => boolean) => products.filter(matches).length

describe("Sample catalog", () => {
  it("sample products and collections are valid and have no unknown fields", () => {
    const strict = { errors: "all", onExcessProperty: "error" } as const
    const decodeProduct = Schema.decodeUnknownSync(CreateProduct, strict)
    const decodeCollection = Schema.decodeUnknownSync(CreateCollection, strict)
    assert.deepStrictEqual(
      products.map((product) => decodeProduct(JSON.parse(JSON.stringify(product)))),
      products
    )
    for (const { slugs: _, ...collection } of collections) {
      assert.deepStrictEqual(decodeCollection(JSON.parse(JSON.stringify(collection))), collection)
    }
  })

  it("the sample catalog has 40 varied products with unique slugs", () => {
    assert.lengthOf(products, 40)
    assert.strictEqual(distinct(products.map(({ slug }) => slug)), 40)
    assert.isAtLeast(distinct(products.map(({ vendorName }) => vendorName)), 8)
    assert.isAtLeast(distinct(products.map(({ countryOfOrigin }) => countryOfOrigin)), 10)
    assert.isAtLeast(distinct(products.map(({ productKind }) => productKind)), 3)
    assert.isAtLeast(
      countWhere(({ variants = [] }) => variants.length > 1),
      8
    )
    assert.isAtLeast(
      countWhere(({ discountedPrice }) => typeof discountedPrice === "number"),
      6
    )
    assert.isAtLeast(
      countWhere(({ stock }) => stock === 0),
      4
    )
    assert.isAtLeast(
      countWhere(({ isActive }) => isActive === false),
      1
    )
    assert.strictEqual(
      countWhere(({ media = [] }) => media.length > 0),
      40
    )
  })

  it("sample data contains no URLs except those of images.example.com", () => {
    const hosts = [...JSON.stringify([products, collections]).matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host)
    assert.deepStrictEqual([...new Set(hosts)], ["images.example.com"])
  })
})
