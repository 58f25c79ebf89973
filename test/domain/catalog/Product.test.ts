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
import { parse, stringify } from "../../../src/domain/json/Json.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"

const toCreate = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toProduct = Schema.decodeUnknownSync(Product, { onExcessProperty: "error" })
const isUuid = (value: unknown) =>
  typeof value === "string" && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value)

const given = {
  id: ProductId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  slug: "desk",
  at: new Date("2026-01-31T09:30:00.123Z"),
  currencyCode: "EUR"
}
const later = new Date("2026-02-01T00:00:00.000Z")

const make = (input: unknown) => newProduct(toCreate(input), given)
const patch = (product: Product, changes: unknown) => patchProduct(product, toPatch(changes), later)

describe("A new product", () => {
  it("made of a name alone has every field, each with its default", () => {
    assert.deepStrictEqual(make({ name: " Desk " }), {
      id: given.id,
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

  it("is on sale when its discounted price is below its price, unless it says otherwise", () => {
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
      assert.strictEqual(make({ name: "Desk", ...input }).onSale, onSale, JSON.stringify(input))
    }
  })

  it("keeps a tag once, whatever its case, in its first spelling and place", () => {
    assert.deepStrictEqual(make({ name: "Desk", tags: [" Oak ", "office", "OAK", "Office", "oak desk"] }).tags, [
      "Oak",
      "office",
      "oak desk"
    ])
  })

  it("gives every variant an id of its own, whatever id was sent", () => {
    const { variants } = make({ name: "Desk", variants: [{ id: "mine" }, { id: given.id }, { price: 3 }] })
    assert.strictEqual(new Set(variants.map(({ id }) => id)).size, 3)
    for (const { id } of variants) assert.isTrue(isUuid(id) && id !== given.id)
    assert.deepStrictEqual(Object.keys(variants[2] ?? {}).toSorted(), ["id", "price"])
  })

  it("is a product, and stays the same one when written and read", () => {
    fc.assert(
      fc.property(randomProduct, (input) => {
        const product = newProduct(input, given)
        const read = toProduct(parse(stringify(product)))
        assert.strictEqual(patchProduct(product, read, later), product)
      })
    )
  })
})

describe("A patch", () => {
  const desk = make({
    name: "Desk",
    price: 10,
    description: "Oak",
    tags: ["a", "b"],
    variants: [{ sku: "1" }, { sku: "2" }]
  })

  it("changes what it names and nothing else, and counts the version up", () => {
    assert.deepStrictEqual(patch(desk, { price: 12, description: null, tags: ["c"] }), {
      ...desk,
      price: 12,
      description: null,
      tags: ["c"],
      version: 2,
      updatedAt: "2026-02-01T00:00:00.000Z"
    })
  })

  it("that changes nothing gives the product back as it is", () => {
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
        const product = newProduct(input, given)
        const once = patchProduct(product, changes, later)
        assert.strictEqual(once.version, once === product ? 1 : 2)
        // New variants get new ids each time, all else is the same the second time.
        const { variants: _, ...again } = changes
        assert.strictEqual(patchProduct(once, again, later), once)
      })
    )
  })

  it("does not change slug, creation and sale by itself", () => {
    const next = patch(desk, { name: "Table", discountedPrice: 1 })
    assert.deepInclude(next, { slug: "desk", onSale: false, createdAt: desk.createdAt })
  })

  it("keeps of a variant whose id exists what it does not name, and removes variants left out", () => {
    const wide = make({
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

  it("lets no variant id stand twice, and gives an unknown one a new id", () => {
    const [first] = desk.variants
    const { variants } = patch(desk, { variants: [{ id: first?.id }, { id: first?.id, sku: "x" }, { id: given.id }] })
    assert.deepStrictEqual(variants[0], first)
    assert.strictEqual(new Set(variants.map(({ id }) => id)).size, 3)
    for (const { id } of variants) assert.isTrue(isUuid(id))
    assert.isUndefined(variants[2]?.sku)
  })

  it("of null is refused for the fields that may not be null", () => {
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
