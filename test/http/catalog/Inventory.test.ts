import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Answer, ApiTest, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"

const variants = [
  { title: "Small", stock: 3 },
  { title: "Large", sku: "L" }
]

/** Creates a product with the given stock and two variants, one of them without a stock. */
const createStocked = Effect.fn(function* (stock: number) {
  const { client, installation, storeId } = yield* freshClient()
  const product = dataOf(yield* client.post("/products", { name: "Cup", stock, variants }))
  const [small = "", large = ""] = idsOf(product)
  const path = `/products/${String(product["id"])}/inventory`
  return { client, installation, storeId, product, path, small, large }
})

const asList = (value: unknown): ReadonlyArray<Record<string, unknown>> => (Array.isArray(value) ? value : [])
const idsOf = (product: Record<string, unknown>) => asList(product["variants"]).map(({ id }) => String(id))

/** Returns the stock of the product, followed by those of its variants. */
const stocksOf = (answer: Answer) => {
  const { stock, variants } = dataOf(answer)
  return [stock, ...asList(variants).map((variant) => variant["stock"])]
}

const set = (client: Client, path: string, body: unknown) =>
  Effect.map(client.patch(path, body), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer
  })

/** Returns the events of the store with their journal entries, oldest first. */
const changesOf = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`
      select resource_version as version, payload::json -> 'data' -> 'product' ->> 'stock' as stock, before, after, reason
      from events e join journal j using (store_id, id) where store_id = ${storeId} order by id
    `
  })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("PATCH /products/{id}/inventory", (it) => {
  it.effect("stock sets and adjust changes the stock of the product or of one variant", () =>
    Effect.gen(function* () {
      const { client, large, path, product, small } = yield* createStocked(5)
      const first = yield* set(client, path, { stock: 9 })
      assert.deepStrictEqual(stocksOf(first), [9, 3, undefined])
      assert.strictEqual(first.headers.get("etag"), '"2"')
      const { stock: _, updatedAt, version, ...rest } = dataOf(first)
      assert.deepStrictEqual({ ...product, ...rest }, product)
      assert.strictEqual(version, 2)
      assert.isAbove(Date.parse(String(updatedAt)), Date.parse(String(product["updatedAt"])) - 1)

      assert.deepStrictEqual(stocksOf(yield* set(client, path, { adjust: -4 })), [5, 3, undefined])
      assert.deepStrictEqual(stocksOf(yield* set(client, path, { variantId: small, adjust: -3 })), [5, 0, undefined])
      const upper = large.toUpperCase()
      assert.deepStrictEqual(stocksOf(yield* set(client, path, { variantId: upper, adjust: 2 })), [5, 0, 2])
      const last = yield* set(client, path, { variantId: large, stock: 7 })
      assert.deepStrictEqual(stocksOf(last), [5, 0, 7])
      assert.deepStrictEqual(idsOf(dataOf(last)), [small, large])
      assert.deepInclude(asList(dataOf(last)["variants"])[1], { title: "Large", sku: "L" })
    })
  )

  it.effect("a stock change stores an event and a journal entry with its reason; a no-op stores neither", () =>
    Effect.gen(function* () {
      const { client, path, storeId } = yield* createStocked(5)
      yield* set(client, path, { adjust: -2, reason: "Two were broken" })
      yield* set(client, path, { stock: 3 })
      yield* set(client, path, { adjust: 0, reason: "Counted" })
      yield* set(client, path, { stock: 4 })
      const [, broken, counted, ...rest] = yield* changesOf(storeId)
      assert.deepInclude(broken, { version: 2, stock: "3", reason: "Two were broken" })
      assert.include(String(broken?.["before"]), '"stock":5')
      assert.include(String(broken?.["after"]), '"stock":3')
      assert.deepInclude(counted, { version: 3, stock: "4", reason: null })
      assert.deepStrictEqual(rest, [])
    })
  )

  it.effect("stock is summed as decimals", () =>
    Effect.gen(function* () {
      const { client, path } = yield* createStocked(0.1)
      assert.deepStrictEqual(stocksOf(yield* set(client, path, { adjust: 0.2 }))[0], 0.3)
      const back = yield* set(client, path, '{"adjust": -0.2, "expectedStock": 30e-2}')
      assert.include(back.text, '"stock":0.1,')
      const most = yield* set(client, path, { stock: 999_999_999_999_999 })
      assert.include(most.text, '"stock":999999999999999,')
    })
  )

  it.effect("a result below zero or above the maximum is rejected with 422 and changes nothing", () =>
    Effect.gen(function* () {
      const { client, large, path, small, storeId } = yield* createStocked(5)
      const bodies = [
        { adjust: -5.000001 },
        { adjust: 0.0000000000000001 },
        { adjust: 999_999_999_999_999 },
        { variantId: small, adjust: -4 },
        { variantId: large, adjust: -1 }
      ]
      for (const body of bodies) {
        const refused = yield* client.patch(path, body)
        assert.strictEqual(refused.status, 422, refused.text)
        assert.match(
          errorOf(refused).error,
          /^The stock is [035]; after the change it must be from 0 to 999999999999999/
        )
      }
      yield* set(client, path, '{"stock": 1e-250}')
      const unheld = yield* client.patch(path, { adjust: 1e14 })
      assert.strictEqual(unheld.status, 422)
      assert.strictEqual(
        errorOf(unheld).error,
        "The stock is 1e-250; after the change it must be from 0 to 999999999999999 and a number that a double (IEEE 754) holds; round the difference"
      )
      assert.lengthOf(yield* changesOf(storeId), 2)
    })
  )

  it.effect("an outdated expectedStock or If-Match is 412, an unknown variant 422 and an unknown product 404", () =>
    Effect.gen(function* () {
      const { client, large, path, small } = yield* createStocked(5)
      const stale = yield* client.patch(path, { stock: 1, expectedStock: 6 })
      assert.strictEqual(stale.status, 412)
      assert.match(errorOf(stale).error, /^The stock is 5, /)
      assert.strictEqual((yield* client.patch(path, { variantId: small, adjust: 1, expectedStock: 5 })).status, 412)
      yield* set(client, path, { adjust: 1, expectedStock: 5 })
      yield* set(client, path, { variantId: large, adjust: 1, expectedStock: 0 })
      const unknown = yield* client.patch(path, { variantId: UNKNOWN, stock: 1 })
      assert.strictEqual(unknown.status, 422)
      assert.match(errorOf(unknown).error, new RegExp(`no variant ${UNKNOWN}`))
      const gone = yield* client.patch(`/products/${UNKNOWN}/inventory`, { stock: 1 })
      assert.strictEqual(gone.status, 404)
      const matched = yield* client.patch(path, { stock: 1 }, { headers: { "if-match": '"1"' } })
      assert.strictEqual(matched.status, 412)
    })
  )

  it.effect("a body with invalid fields, or without exactly one of stock and adjust, is rejected with 400", () =>
    Effect.gen(function* () {
      const { client, path } = yield* createStocked(5)
      const issuesOf = (body: unknown, headers = {}) =>
        Effect.map(client.patch(path, body, { headers }), (answer) => {
          assert.strictEqual(answer.status, 400, answer.text)
          return errorOf(answer).issues
        })
      const exactlyOne = ["stock: must be given, or `adjust`, and not both"]
      for (const body of [{}, { stock: 1, adjust: 1 }, { reason: "None" }])
        assert.deepStrictEqual(yield* issuesOf(body), exactlyOne)
      assert.deepStrictEqual(
        yield* issuesOf({ stock: -1, variantId: "small", expectedStock: "5", reason: "a".repeat(256) }),
        [
          "stock: must be a number from 0 to 999999999999999",
          "variantId: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057",
          "expectedStock: must be a number from 0 to 999999999999999",
          "reason: must be text of at most 255 characters"
        ]
      )
      const number = "adjust: must be a number from -999999999999999 to 999999999999999"
      for (const adjust of ["1", null, [1]]) assert.deepStrictEqual(yield* issuesOf({ adjust }), [number])
      const strict = { prefer: "handling=strict" }
      assert.deepStrictEqual(yield* issuesOf({ stock: 1, price: 2 }, strict), ["price: is not a field that can be set"])
      assert.strictEqual((yield* client.patch(path, { stock: 1, price: 2 })).status, 200)
    })
  )
})
