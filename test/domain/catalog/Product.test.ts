import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import {
  CreateProduct,
  newProduct,
  patchProduct,
  Product,
  ProductId,
  UpdateProduct
} from "../../../src/domain/catalog/Product.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"

const toCreate = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toProduct = Schema.decodeUnknownSync(Product, { onExcessProperty: "error" })
const isUuid = (value: unknown) =>
  typeof value === "string" && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value)

const generated = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}
const later = new Date("2026-02-01T00:00:00.000Z")

const makeProduct = (input: unknown) => newProduct(toCreate(input), generated)
const patch = (product: Product, changes: unknown) => patchProduct(product, toPatch(changes), later)

describe("New products", () => {
  it("a product with only a name has the default of every field", () => {
    assert.deepStrictEqual(makeProduct({ name: " Desk " }), {
      id: generated.id,
      version: 1,
      name: "Desk",
      slug: "desk",
      price: 0,
      discountedPrice: null,
      costPrice: null,
      stock: 0,
      currencyCode: "EUR",
      isActive: true,
      onSale: false,
      taxable: true,
      trackInventory: true,
      description: null,
      vendorName: null,
      category: null,
      categoryId: null,
      categoryName: null,
      productType: null,
      productKind: "physical",
      sku: null,
      barcode: null,
      imageUrl: null,
      tags: [],
      media: [],
      options: [],
      variants: [],
      faqs: [],
      metafields: {},
      customFields: [],
      weight: null,
      dimensions: null,
      countryOfOrigin: null,
      hsCode: null,
      seoTitle: null,
      seoDescription: null,
      metaDescription: null,
      createdAt: "2026-01-31T09:30:00.123Z",
      updatedAt: "2026-01-31T09:30:00.123Z"
    })
  })

  it("onSale defaults to true if the discounted price is below the price", () => {
    for (const [input, onSale] of [
      [{ price: 10, discountedPrice: 9 }, true],
      [{ price: 10, discountedPrice: 10 }, false],
      [{ price: 10, discountedPrice: 11 }, false],
      [{ price: 10, discountedPrice: null }, false],
      [{ price: 10 }, false],
      [{ discountedPrice: 0 }, false],
      [{ price: 10, discountedPrice: 9, onSale: false }, false],
      [{ price: 10, onSale: true }, true]
    ] as const) {
      assert.strictEqual(makeProduct({ name: "Desk", ...input }).onSale, onSale, JSON.stringify(input))
    }
  })

  it("tags are deduplicated regardless of case, and the first spelling is kept", () => {
    assert.deepStrictEqual(makeProduct({ name: "Desk", tags: [" Oak ", "office", "OAK", "Office", "oak desk"] }).tags, [
      "Oak",
      "office",
      "oak desk"
    ])
  })

  it("every variant gets a new id, and sent ids are ignored", () => {
    const { variants } = makeProduct({ name: "Desk", variants: [{ id: "mine" }, { id: generated.id }, { price: 3 }] })
    assert.strictEqual(new Set(variants.map(({ id }) => id)).size, 3)
    for (const { id } of variants) assert.isTrue(isUuid(id) && id !== generated.id)
    assert.deepStrictEqual(Object.keys(variants[2] ?? {}).toSorted(), ["id", "price"])
  })

  it("a product does not change when it is serialized and parsed", () => {
    fc.assert(
      fc.property(randomProduct, (input) => {
        const product = newProduct(input, generated)
        const read = toProduct(JSON.parse(JSON.stringify(product)))
        assert.strictEqual(patchProduct(product, read, later), product)
      })
    )
  })
})

describe("Patches of products", () => {
  const desk = makeProduct({
    name: "Desk",
    price: 10,
    description: "Oak",
    tags: ["a", "b"],
    variants: [{ sku: "1" }, { sku: "2" }]
  })

  it("a patch changes only its fields and increments the version", () => {
    assert.deepStrictEqual(patch(desk, { price: 12, description: null, tags: ["c"] }), {
      ...desk,
      price: 12,
      description: null,
      tags: ["c"],
      version: 2,
      updatedAt: "2026-02-01T00:00:00.000Z"
    })
  })

  it("a patch without changes returns the same product", () => {
    for (const changes of [
      {},
      { price: 10 },
      { tags: ["a", "b"], description: "Oak" },
      { variants: desk.variants },
      desk
    ]) {
      assert.strictEqual(patch(desk, changes), desk)
    }
    fc.assert(
      fc.property(randomProduct, randomPatch, (input, changes) => {
        const product = newProduct(input, generated)
        const once = patchProduct(product, changes, later)
        assert.strictEqual(once.version, once === product ? 1 : 2)
        // New variants get new ids each time, so they are left out of the second patch.
        const { variants: _, ...again } = changes
        assert.strictEqual(patchProduct(once, again, later), once)
      })
    )
  })

  it("a patch of name and discounted price does not change slug, onSale or createdAt", () => {
    const next = patch(desk, { name: "Table", discountedPrice: 1 })
    assert.deepInclude(next, { slug: "desk", onSale: false, createdAt: desk.createdAt })
  })

  it("a patch merges variants with a known id and removes omitted ones", () => {
    const wide = makeProduct({
      name: "Desk",
      variants: [
        { title: "Wide", price: 3, stock: 1, options: { Width: "160" }, colour: "red" },
        { title: "Narrow", price: 2 }
      ]
    })
    const [first, second] = wide.variants
    const { variants } = patch(wide, { variants: [{ title: "New" }, { id: first?.id, price: 4 }] })
    assert.strictEqual(variants.length, 2)
    assert.deepStrictEqual<unknown>(variants[1], { ...first, price: 4 })
    assert.strictEqual(variants[0]?.title, "New")
    assert.isTrue(isUuid(variants[0]?.id))
    assert.notInclude(
      variants.map(({ id }) => id),
      second?.id
    )
  })

  it("repeated and unknown variant ids are replaced by new ones", () => {
    const [first] = desk.variants
    const { variants } = patch(desk, {
      variants: [{ id: first?.id }, { id: first?.id, sku: "x" }, { id: generated.id }]
    })
    assert.deepStrictEqual(variants[0], first)
    assert.strictEqual(new Set(variants.map(({ id }) => id)).size, 3)
    for (const { id } of variants) assert.isTrue(isUuid(id))
    assert.isUndefined(variants[2]?.sku)
  })

  it("a patch accepts null for nullable fields only", () => {
    const nullable = ["discountedPrice", "costPrice", "weight", "description", "vendorName", "category", "categoryId"]
    const more = [
      "categoryName",
      "productType",
      "sku",
      "barcode",
      "imageUrl",
      "dimensions",
      "countryOfOrigin",
      "hsCode"
    ]
    const seo = ["seoTitle", "seoDescription", "metaDescription"]
    for (const field of Object.keys(Product.fields)) {
      if (["id", "version", "createdAt", "updatedAt"].includes(field)) continue
      const clears = () => patch(desk, { [field]: null })
      if ([...nullable, ...more, ...seo].includes(field)) assert.propertyVal(clears(), field, null)
      else assert.throws(clears, undefined, undefined, field)
    }
  })
})
