import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ProductId } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest, dataOf, errorOf, freshClient, install } from "../../support/http/Api.ts"
import {
  addressOf,
  assertAccepts,
  assertRefuses,
  asSent,
  type Field,
  NOT_WEB,
  notNull,
  nullable
} from "../../support/http/Fields.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

/** Text of at most `max` characters. A character outside the basic plane counts as one. */
const text = (max: number): Field => ({
  accepts: asSent("", " kept as sent ", "x".repeat(max), "😀".repeat(max)),
  refuses: ["x".repeat(max + 1), "😀".repeat(max + 1), 12, true, [], {}]
})

const amount: Field = {
  accepts: asSent(0, 0.01, 19.99, 999_999_999_999_999),
  refuses: [-0.01, -1, 1_000_000_000_000_000, "12", "", true, [1], {}]
}

const boolean: Field = { accepts: asSent(true, false), refuses: ["true", 0, 1, "", [], {}] }

const url: Field = {
  accepts: asSent(
    "http://example.com",
    "https://images.example.com/a%20b.jpg?c=d#e",
    "HTTPS://Images.Example.com:443/../{width}/é|😀.jpg",
    "https://日本.example/a",
    "http://[::1]:8080?q",
    addressOf(2048),
    addressOf(2047) + "😀"
  ),
  refuses: [...NOT_WEB, addressOf(2049), 12, {}, [addressOf(40)]]
}

const FIELDS: Record<string, Field> = {
  name: notNull({
    accepts: [
      ...asSent("C", "x".repeat(255), "😀".repeat(255)),
      ["  A cup \n", "A cup"],
      [` ${"x".repeat(255)} `, "x".repeat(255)]
    ],
    refuses: ["", "   ", "\n\t", "x".repeat(256), "😀".repeat(256), 12, true, [], {}, ["Cup"]]
  }),
  slug: notNull({
    accepts: asSent("a", "0", "a-1-b", "x".repeat(255)),
    refuses: ["", "A", "a--b", "-a", "a-", "a_b", "a b", "é", "a/b", "a\n", "x".repeat(256), 12, {}, ["a"]]
  }),
  price: notNull(amount),
  stock: notNull(amount),
  discountedPrice: nullable(amount),
  costPrice: nullable(amount),
  weight: nullable(amount),
  currencyCode: notNull({
    accepts: [...asSent("USD", "JPY", "XAD", "XCG"), ["chf", "CHF"], ["gBp", "GBP"]],
    refuses: ["", "EU", "EURO", "ABC", "€", " EUR", "EUR ", "ANG", "BGN", "CUC", 978, true, {}, ["EUR"]]
  }),
  isActive: notNull(boolean),
  taxable: notNull(boolean),
  trackInventory: notNull(boolean),
  onSale: notNull(boolean),
  description: nullable(text(65_535)),
  vendorName: nullable(text(255)),
  category: nullable(text(255)),
  categoryId: nullable(text(255)),
  categoryName: nullable(text(255)),
  productType: nullable(text(255)),
  sku: nullable(text(255)),
  barcode: nullable(text(255)),
  seoTitle: nullable(text(255)),
  countryOfOrigin: nullable(text(255)),
  hsCode: nullable(text(255)),
  seoDescription: nullable(text(1000)),
  metaDescription: nullable(text(1000)),
  productKind: notNull(text(64)),
  imageUrl: nullable(url)
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Product fields", (it) => {
  it.effect.each(Object.entries(FIELDS))("%s accepts valid values on create and update", ([name, field]) =>
    assertAccepts(name, field)
  )

  it.effect.each(Object.entries(FIELDS))("%s rejects invalid values with 400 and changes nothing", ([name, field]) =>
    assertRefuses(name, field)
  )

  it.effect("a store and its products keep a currency that is no longer current", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const member = yield* freshMember()
      const { storeId } = member
      const { client } = yield* install(storeId)
      yield* sql`update stores set currency_code = 'BGN' where id = ${storeId}`
      const product = dataOf(yield* client.post("/products", { name: "Cup" }))
      assert.strictEqual(product["currencyCode"], "BGN")
      const id = ProductId.make(String(product.id))
      const patched = yield* client.patch(`/products/${id}`, { price: 3 })
      assert.deepInclude(dataOf(patched), { price: 3, currencyCode: "BGN" })
      assert.deepInclude(dataOf(yield* client.get("/store")), { currencyCode: "BGN" })
      const keyed = { storeId, idempotencyKey: newKey(), id, patch: { stock: 2 } }
      assert.deepInclude(yield* performed(member.client.products.update(keyed)), { stock: 2, currencyCode: "BGN" })
      const { items } = yield* member.client.products.list({ storeId })
      assert.deepStrictEqual(
        items.map(({ currencyCode }) => currencyCode),
        ["BGN"]
      )
      assert.strictEqual((yield* client.patch(`/products/${id}`, { currencyCode: "BGN" })).status, 400)
      assert.strictEqual((yield* client.patch(`/products/${id}`, { currencyCode: "EUR" })).status, 200)
    })
  )

  it.effect("a create without a name is rejected with 400 and an issue for name", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const refused = yield* client.post("/products", { price: 3 })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        errorOf(refused).issues?.map((line) => line.split(":")[0]),
        ["name"]
      )
    })
  )

  it.effect("a name or title of white space and invisible characters is rejected as empty", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const message = "must be text of 1 to 255 characters, not only invisible ones"
      const bodies = [
        ["/products", "name"],
        ["/collections", "title"]
      ] as const
      for (const text of ["\u200b", " \u2060\ufeff ", "\u00ad\u{e0041}"]) {
        for (const [path, member] of bodies) {
          const refused = yield* client.post(path, { [member]: text })
          assert.deepStrictEqual([refused.status, errorOf(refused).issues], [400, [`${member}: ${message}`]])
        }
      }
      const family = "\u{1f469}\u200d\u{1f467}"
      assert.strictEqual(dataOf(yield* client.post("/products", { name: family }))["name"], family)
    })
  )
})
