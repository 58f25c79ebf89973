import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Product } from "../../../src/domain/catalog/Product.ts"
import {
  ApiTest,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  install,
  makeStore,
  pageOf
} from "../../support/http/Api.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const decodeProduct = Schema.decodeUnknownSync(Product, { onExcessProperty: "error" })

/** A body with every field except variants, each different from its default. */
const allFields = {
  name: "Walnut desk",
  slug: "walnut-desk-160",
  price: 249.5,
  discountedPrice: 199,
  costPrice: 120.75,
  stock: 12,
  currencyCode: "CHF",
  isActive: false,
  onSale: true,
  taxable: false,
  trackInventory: false,
  description: "Solid walnut,\noiled by hand. <b>Made to order</b>",
  vendorName: "Northern Joinery",
  category: "Furniture",
  categoryId: "4356",
  categoryName: "Desks",
  productType: "Desk",
  productKind: "made-to-order",
  sku: "DESK-WAL-160",
  barcode: "4006381333931",
  imageUrl: "https://images.example.com/desk.jpg?w=160#top",
  tags: ["walnut", "office"],
  media: [{ url: "http://images.example.com/desk.mp4", type: "video", alt: "The desk", position: 2, width: 1920 }],
  options: [{ name: "Width", values: ["120", "160"], swatch: { kind: "none" } }],
  faqs: [{ question: "Assembled?", answer: "In four screws.", author: null }],
  metafields: { care: { oil: ["yearly", 1.25, true, null] }, "a key with blanks": "" },
  customFields: [{ key: "engraving", value: "yes" }, {}],
  weight: 31.4,
  dimensions: { length: 160, width: 80, height: 74.5, unit: "cm", thickness: 3 },
  countryOfOrigin: "PT",
  hsCode: "940330",
  seoTitle: "Walnut desk, 160 cm",
  seoDescription: "A desk of solid walnut.",
  metaDescription: "Not the same as the one before."
}

const variant = {
  title: "160 cm",
  sku: "DESK-WAL-160",
  barcode: "4006381333931",
  price: 249.5,
  discountedPrice: 199,
  costPrice: 0,
  stock: 7,
  options: { Width: "160" },
  shelf: { row: 4 }
}

const create = Effect.fn(function* (client: Client, body: unknown) {
  const answer = yield* client.post("/products", body)
  assert.strictEqual(answer.status, 201, answer.text)
  return dataOf(answer)
})

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)
const variantsOf = Schema.decodeUnknownSync(
  Schema.Array(Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [AnyObject]))
)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Products", (it) => {
  it.effect("a product created with only a name has the default of every other field", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { createdAt, id, updatedAt, ...rest } = yield* create(client, { name: "Cup" })
      assert.match(String(id), UUID_V7)
      assert.match(String(createdAt), TIMESTAMP)
      assert.strictEqual(updatedAt, createdAt)
      assert.deepStrictEqual(rest, {
        version: 1,
        name: "Cup",
        slug: "cup",
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
        metaDescription: null
      })
    })
  )

  it.effect("create, update and list return every editable field as sent", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* client.post("/products", { ...allFields, variants: [variant] })
      assert.strictEqual(first.status, 201)
      const { createdAt, id, updatedAt, variants, version, ...rest } = dataOf(first)
      assert.deepStrictEqual(rest, allFields)
      const [{ id: variantId, ...returned } = { id: "" }, ...others] = variantsOf(variants)
      assert.deepStrictEqual(returned, variant)
      assert.deepStrictEqual(others, [])
      assert.match(variantId, UUID_V7)
      assert.deepStrictEqual([typeof createdAt, typeof updatedAt, version], ["string", "string", 1])

      const second = yield* create(client, { name: "Plain" })
      const changed = yield* client.patch(`/products/${second["id"]}`, { ...allFields, slug: "other" })
      assert.strictEqual(changed.status, 200)
      assert.deepInclude(dataOf(changed), { ...allFields, slug: "other", version: 2, id: second["id"] })

      const list = yield* client.get("/products")
      assert.strictEqual(list.status, 200)
      assert.deepStrictEqual(list.json, { products: [dataOf(first), dataOf(changed)], nextCursor: null })
      for (const product of [dataOf(first), dataOf(changed), ...pageOf(list).items]) decodeProduct(product)
      assert.notStrictEqual(id, second["id"])
    })
  )

  it.effect("currencyCode defaults to that of the store and is stored in upper case", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshClient()
      yield* sql`update stores set currency_code = 'JPY' where id = ${storeId}`
      assert.strictEqual((yield* create(client, { name: "Cup" }))["currencyCode"], "JPY")
      assert.strictEqual((yield* create(client, { name: "Cup", currencyCode: "usd" }))["currencyCode"], "USD")
      assert.strictEqual((yield* create(client, { name: "Cup", currencyCode: "xcg" }))["currencyCode"], "XCG")
      const invalid = yield* client.post("/products", { name: "Cup", currencyCode: "uſd" })
      assert.deepStrictEqual(errorOf(invalid).issues, [
        "currencyCode: must be a current currency code of ISO 4217, as in EUR"
      ])
    })
  )

  it.effect("an update changes version and updatedAt and keeps id, slug and createdAt", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const before = yield* create(client, { name: "Cup" })
      yield* sql`
        update products set document = replace(document::text, ${String(before["createdAt"])}, '1999-01-31T00:00:00.000Z')::json
        where id = ${String(before["id"])}
      `
      const { updatedAt, ...after } = dataOf(yield* client.patch(`/products/${before["id"]}`, { name: "Mug" }))
      assert.match(String(updatedAt), TIMESTAMP)
      assert.isAtLeast(Date.parse(String(updatedAt)), Date.parse(String(before["createdAt"])))
      const { updatedAt: _, ...rest } = before
      assert.deepStrictEqual(after, { ...rest, name: "Mug", version: 2, createdAt: "1999-01-31T00:00:00.000Z" })
      assert.strictEqual(dataOf(yield* client.patch(`/products/${before["id"]}`, { price: 1 }))["version"], 3)
    })
  )

  it.effect(
    "a product with repeated options of an earlier release is read and patched, unless the patch repeats them",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { client } = yield* freshClient()
        const options = ["Size", "Length"].map((name) => ({ name, values: ["S", "M"] }))
        const { id } = yield* create(client, { name: "Shirt", options })
        yield* sql`update products set document = replace(document::text, 'Length', 'size')::json where id = ${String(id)}`
        const stored = dataOf(yield* client.patch(`/products/${id}`, { price: 5 }))
        assert.deepInclude(stored, {
          price: 5,
          options: ["Size", "size"].map((name) => ({ name, values: ["S", "M"] }))
        })
        const refused = yield* client.patch(`/products/${id}`, { options: stored["options"] })
        assert.strictEqual(refused.status, 400)
        assert.deepStrictEqual(errorOf(refused).issues, [
          'options.1.name: must differ from the names of the other options, not only in case; "size" is there already'
        ])
      })
  )

  it.effect("a deleted product is 404 on every route and absent from the list", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client, { name: "Cup" })
      const remaining = yield* create(client, { name: "Mug" })
      const deleted = yield* client.delete(`/products/${id}`)
      assert.strictEqual(deleted.status, 200)
      assert.deepStrictEqual(deleted.json, { data: { id, deleted: true } })
      assert.deepStrictEqual((yield* client.get("/products")).json, { products: [remaining], nextCursor: null })
      assert.strictEqual((yield* client.delete(`/products/${id}`)).status, 404)
      assert.strictEqual((yield* client.patch(`/products/${id}`, { name: "Again" })).status, 404)
    })
  )

  it.effect("installations of one store read and change the same products", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const one = yield* install(storeId)
      const two = yield* install(storeId)
      const product = yield* create(one.client, { name: "Cup" })
      assert.deepStrictEqual(pageOf(yield* two.client.get("/products")).items, [product])
      const changed = dataOf(yield* two.client.patch(`/products/${product["id"]}`, { name: "Mug" }))
      assert.deepStrictEqual(pageOf(yield* one.client.get("/products")).items, [changed])
    })
  )
})
