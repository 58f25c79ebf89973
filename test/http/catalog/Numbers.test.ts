import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

/** JSON numbers that a float would round or print differently. */
const EXACT = [
  "0.1234567890123456789",
  "123456789012345.6789",
  "99999999999999.99999999999999999999",
  "999999999999999",
  "0.30000000000000000000000001",
  "1e3",
  "1E3",
  "25e-1",
  "1.25e+2",
  "0.1e-7",
  "1e-300"
]

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

const literal = (text: string) => text.replace(/[.+]/g, "\\$&")

/** Returns the digits after `key` in JSON text. */
const digitsAfter = (key: string, text: string) => new RegExp(`"${key}":([^,}\\]]*)`).exec(text)?.[1]

const Stored = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ price: Schema.String, stock: Schema.String, isSame: Schema.Boolean })])
)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Numbers in product fields", (it) => {
  it.effect.each(EXACT)("%s is returned digit by digit in every field", (number) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const place of [...PLACES, ...OPAQUE_PLACES]) {
        const created = yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`)
        assert.strictEqual(created.status, 201, created.text)
        const member = place.slice(place.lastIndexOf('"', place.indexOf("@") - 3))
        assert.match(
          created.text,
          new RegExp(`${fill(member.slice(0, member.indexOf("@") + 1), literal(number))}[,}\\]]`)
        )
      }
    })
  )

  it.effect("a number keeps its digits in responses, lists and the database, and after another change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const number = "0.1234567890123456789"
      const created = yield* client.post("/products", `{"name":"Cup","price":${number},"stock":1e3}`)
      const id = String(dataOf(created)["id"])
      const changed = yield* client.patch(`/products/${id}`, { name: "Mug", variants: [{}] })
      for (const { text } of [created, changed, yield* client.get("/products")]) {
        assert.strictEqual(digitsAfter("price", text), number)
        assert.strictEqual(digitsAfter("stock", text), "1e3")
      }
      const rows = yield* sql`
        select price::text, stock::text, price = ${number}::numeric and stock = 1000 as "isSame"
        from product_keys where id = ${id}
      `
      assert.isTrue(Stored(rows)[0].isSame, JSON.stringify(rows))
    })
  )

  it.effect("a decimal with up to 15 integer digits is returned unchanged", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const decimal = FastCheck.tuple(
        FastCheck.bigInt({ min: 0n, max: 999_999_999_999_998n }),
        FastCheck.stringMatching(/^(\.[0-9]{0,29}[1-9])?$/)
      ).map(([whole, fraction]) => `${whole}${fraction}`)
      for (const number of FastCheck.sample(decimal, 80)) {
        const { status, text } = yield* client.post("/products", `{"name":"Cup","weight":${number}}`)
        assert.strictEqual(status, 201, text)
        assert.strictEqual(digitsAfter("weight", text), number)
      }
    })
  )

  it.effect("a number above 999999999999999 is rejected with 400 in every field", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const place of [...PLACES, ...OPAQUE_PLACES]) {
        for (const number of ["1000000000000000", "1e15", "1e400"]) {
          const refused = yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`)
          assert.strictEqual(refused.status, 400, refused.text)
          assert.strictEqual(errorOf(refused).issues?.length, 1)
        }
      }
    })
  )

  it.effect("a number that exceeds the maximum by a fraction is rejected with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const number of ["999999999999999.01", "999999999999999.0000000000000000001", "99999999999999901e-2"]) {
        const refused = yield* client.post("/products", `{"name":"Cup","price":${number}}`)
        assert.strictEqual(refused.status, 400, refused.text)
      }
      const tooLow = '{"name":"Cup","metafields":{"a":-999999999999999.01}}'
      assert.strictEqual((yield* client.post("/products", tooLow)).status, 400)
      for (const number of ["999999999999999.000", "99999999999999900e-2", "999999999999998.99999999999999999999"]) {
        const created = yield* client.post("/products", `{"name":"Cup","price":${number}}`)
        assert.strictEqual(created.status, 201, created.text)
      }
    })
  )

  it.effect("a negative amount is rejected with 400, however small", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const place of PLACES) {
        for (const number of ["-1", "-0.01", "-1e-300", "-0.00000000000000000000000000000000001"]) {
          const refused = yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`)
          assert.strictEqual(refused.status, 400, refused.text)
        }
      }
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

  it.effect("zero is accepted in every notation, and extreme exponents are 201 or 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const number of ["0", "-0", "0.0", "0e5", "0e-20", "-0e1"]) {
        const created = yield* client.post(
          "/products",
          `{"name":"Cup","price":${number},"variants":[{"stock":${number}}]}`
        )
        assert.strictEqual(created.status, 201, created.text)
        assert.equal(dataOf(created)["price"], 0)
      }
      for (const number of [
        "0e-99999",
        "0e1073741824",
        "0e99999999999",
        "0.0e-2147483648",
        "1e-400",
        `0.${"0".repeat(20_000)}`
      ]) {
        for (const place of PLACES) {
          const { status, text } = yield* client.post("/products", `{"name":"Cup",${fill(place, number)}}`)
          assert.oneOf(status, [201, 400], `${number.slice(0, 20)} ${text.slice(0, 200)}`)
        }
      }
    })
  )

  it.effect("a numeric field rejects other types, and a text field rejects numbers", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const place of PLACES) {
        for (const value of ['"12"', '""', "true", "[]", "{}"]) {
          const refused = yield* client.post("/products", `{"name":"Cup",${fill(place, value)}}`)
          assert.strictEqual(refused.status, 400, refused.text)
        }
      }
      assert.strictEqual((yield* client.post("/products", { name: "Cup", sku: 12 })).status, 400)
    })
  )

  it.effect("a number with an exponent is rejected in place of an object, a list item or text", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const bodies = [
        ...["metafields", "customFields", "dimensions"].map((field) => `"${field}":1e3`),
        ...["metafields", "customFields", "variants", "media", "options", "faqs", "tags"].map(
          (field) => `"${field}":[1e3]`
        ),
        '"variants":[{"options":1e3}]',
        '"variants":[{"options":{"a":1e3}}]',
        '"sku":1e3'
      ]
      const accepted: Array<string> = []
      for (const body of bodies) {
        const { status } = yield* client.post("/products", `{"name":"Cup",${body}}`)
        if (status !== 400) accepted.push(body)
      }
      assert.deepStrictEqual(accepted, [])
    })
  )

  it.effect("digits inside text are returned unchanged", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const text = 'Nº 0.1234567890123456789, "1e3" \\ 12345678901234567890'
      const created = yield* client.post("/products", { name: "Cup", sku: "1e3", description: text, tags: [text] })
      assert.deepInclude(dataOf(created), { sku: "1e3", description: text, tags: [text] })
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
      assert.isTrue(yield* onSale("0.1234567890123456789", "0.1234567890123456788"))
      assert.isFalse(yield* onSale("0.1234567890123456789", "0.1234567890123456789"))
      assert.isFalse(yield* onSale("1000", "1e3"))
      assert.isTrue(yield* onSale("1e3", "999.99999999999999999999"))
    })
  )
})
