import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NOT_A_DOUBLE, NOT_A_DOUBLE_OR_TEXT } from "../../../src/domain/json/Numbers.ts"
import { HELD, NOT_HELD } from "../../data/numbers.ts"
import { ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

/** Members of a body with `@` in place of a number that must not be negative. */
const PLACES = [
  ...["price", "discountedPrice", "costPrice", "stock", "weight"].map((field) => `"${field}":@`),
  ...["price", "discountedPrice", "costPrice", "stock"].map((field) => `"variants":[{"${field}":@}]`),
  ...["length", "width", "height"].map((field) => `"dimensions":{"${field}":@}`)
]

/** Members of a body with `@` in place of a number that may be negative. */
const OPAQUE_PLACES = [
  '"metafields":{"a":[{"b":@}]}',
  '"metafields":[{"b":@}]',
  '"customFields":[{"a":@}]',
  '"dimensions":{"a":@}',
  '"variants":[{"a":{"b":@}}]',
  '"media":[{"url":"https://a.example/b","a":@}]',
  '"options":[{"name":"a","values":[],"b":@}]',
  '"faqs":[{"question":"a","answer":"b","c":@}]'
]

const fill = (place: string, number: string) => place.replace("@", number)

const bodyWith = (price: string, size: string) => `{"name":"Cup","price":${price},"metafields":{"size":${size}}}`

const literal = (text: string) => text.replace(/[.+]/g, "\\$&")

/** Matches the member of a place with a number. */
const member = (place: string, number: string) => {
  const key = place.slice(place.lastIndexOf('"', place.indexOf("@") - 3), place.indexOf("@"))
  return new RegExp(`${key}${literal(number)}[,}\\]]`)
}

const Stored = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ price: Schema.String, stock: Schema.String, isSame: Schema.Boolean })])
)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Numbers in product fields", (it) => {
  it.effect.each(HELD)("%s is stored as %s in every field, by POST and by PATCH", ([number, value]) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
      for (const place of [...PLACES, ...OPAQUE_PLACES]) {
        const created = yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`)
        assert.strictEqual(created.status, 201, created.text)
        assert.match(created.text, member(place, value))
        const changed = yield* client.patch(`/products/${String(id)}`, `{${fill(place, number)}}`)
        assert.strictEqual(changed.status, 200, changed.text)
        assert.match(changed.text, member(place, value))
      }
      const listed = yield* client.get("/products?limit=1")
      assert.match(listed.text, member('"price":@', value))
    })
  )

  it.effect.each(NOT_HELD)("%s is rejected with 400 and its path in every field, by POST and by PATCH", (number) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
      for (const place of [...PLACES, ...OPAQUE_PLACES]) {
        for (const refused of [
          yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`),
          yield* client.patch(`/products/${String(id)}`, `{${fill(place, number)}}`)
        ]) {
          assert.strictEqual(refused.status, 400, refused.text)
          const { issues = [] } = errorOf(refused)
          assert.lengthOf(issues, 1)
          assert.match(issues[0] ?? "", /^(?:[a-zA-Z]+|0)(?:\.[a-zA-Z0-9]+)*: must be a number that a double/)
        }
      }
      const [first, second] = [`{"price":${number}}`, `"weight":${number}`]
      const both = yield* client.post("/products", `{"name":"Cup","variants":[{},${first}],${second}}`)
      assert.deepStrictEqual(errorOf(both).issues, [`variants.1.price: ${NOT_A_DOUBLE}`, `weight: ${NOT_A_DOUBLE}`])
      assert.strictEqual((yield* client.post("/products", { name: "Cup", metafields: { number } })).status, 201)
    })
  )

  it.effect(
    "the advice for a number with too many digits works: round it, or send text where any value is accepted",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const number = "0.1234567890123456789"
        assert.deepStrictEqual(errorOf(yield* client.post("/products", bodyWith(number, number))).issues, [
          `price: ${NOT_A_DOUBLE}`,
          `metafields.size: ${NOT_A_DOUBLE_OR_TEXT}`
        ])
        assert.notInclude(NOT_A_DOUBLE, "text")
        assert.strictEqual((yield* client.post("/products", bodyWith("0.123456789012346", `"${number}"`))).status, 201)
      })
  )

  it.effect("a number has the same value in responses, lists and the database, and after another change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const number = "0.12345678901234568"
      const created = yield* client.post("/products", `{"name":"Cup","price":${number},"stock":1e3}`)
      const id = String(dataOf(created)["id"])
      const changed = yield* client.patch(`/products/${id}`, { name: "Mug", variants: [{}] })
      for (const { text } of [created, changed, yield* client.get("/products")]) {
        assert.match(text, member('"price":@', number))
        assert.match(text, member('"stock":@', "1000"))
      }
      const rows = yield* sql`
        select price::text, stock::text, price = ${number}::numeric and stock = 1000 as "isSame"
        from product_keys where id = ${id}
      `
      assert.isTrue(Stored(rows)[0].isSame, JSON.stringify(rows))
    })
  )

  it.effect("metafields keep negative numbers", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { text } = yield* client.post(
        "/products",
        '{"name":"Cup","metafields":{"deep":-1.5,"low":-999999999999999}}'
      )
      assert.include(text, '"metafields":{"deep":-1.5,"low":-999999999999999}')
    })
  )

  it.effect("zero is accepted in every notation", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const number of ["0", "-0", "0.0", "0e5", "-0e1", "0e-99999", "0e1073741824", `0.${"0".repeat(20_000)}`]) {
        const created = yield* client.post(
          "/products",
          `{"name":"Cup","price":${number},"variants":[{"stock":${number}}]}`
        )
        assert.strictEqual(created.status, 201, created.text)
        assert.include(created.text, '"price":0,')
      }
    })
  )

  it.effect("onSale is derived from an exact comparison of price and discountedPrice", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const onSale = (price: string, discountedPrice: string) =>
        Effect.map(
          client.post("/products", `{"name":"Cup","price":${price},"discountedPrice":${discountedPrice}}`),
          (answer) => dataOf(answer)["onSale"]
        )
      assert.isTrue(yield* onSale("0.30000000000000004", "0.3"))
      assert.isFalse(yield* onSale("0.30000000000000004", "0.30000000000000004"))
      assert.isFalse(yield* onSale("1000", "1e3"))
    })
  )
})
