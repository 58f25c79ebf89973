import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Answer, ApiTest, type Client, dataOf, errorOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { neighbour } from "../../support/process/Process.ts"

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"

const variants = [
  { title: "Small", stock: 3 },
  { title: "Large", sku: "L" }
]

/** A product with the stock, and two variants of which one has none of its own. */
const stocked = Effect.fn(function* (stock: number) {
  const { client, installation, storeId } = yield* freshClient()
  const product = dataOf(yield* client.post("/products", { name: "Cup", stock, variants }))
  const [small = "", large = ""] = idsOf(product)
  const path = `/products/${String(product["id"])}/inventory`
  return { client, installation, storeId, product, path, small, large }
})

const listed = (value: unknown): ReadonlyArray<Record<string, unknown>> => (Array.isArray(value) ? value : [])
const idsOf = (product: Record<string, unknown>) => listed(product["variants"]).map(({ id }) => String(id))

/** The stock of the product and of its variants. */
const stocksOf = (answer: Answer) => {
  const { stock, variants } = dataOf(answer)
  return [stock, ...listed(variants).map((variant) => variant["stock"])]
}

const set = (client: Client, path: string, body: unknown) =>
  Effect.map(client.patch(path, body), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer
  })

/** Events and journal entries of the store, oldest first. */
const toldOf = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`
      select resource_version as version, payload::json -> 'data' -> 'product' ->> 'stock' as stock, before, after, reason
      from events e join journal j using (store_id, id) where store_id = ${storeId} order by id
    `
  })

/** How many were done, and how many refused. */
const count = (statuses: ReadonlyArray<number>) => [200, 422].map((n) => statuses.filter((s) => s === n).length)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The inventory of a product", (it) => {
  it.effect("is set and changed by a number, of the product and of each variant apart", () =>
    Effect.gen(function* () {
      const { client, large, path, product, small } = yield* stocked(5)
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
      assert.deepInclude(listed(dataOf(last)["variants"])[1], { title: "Large", sku: "L" })
    })
  )

  it.effect("is told in the journal, with its reason, and as an event, like any write of a product", () =>
    Effect.gen(function* () {
      const { client, path, storeId } = yield* stocked(5)
      yield* set(client, path, { adjust: -2, reason: "Two were broken" })
      yield* set(client, path, { stock: 3 })
      yield* set(client, path, { adjust: 0, reason: "Counted" })
      yield* set(client, path, { stock: 4 })
      const [, broken, counted, ...rest] = yield* toldOf(storeId)
      assert.deepInclude(broken, { version: 2, stock: "3", reason: "Two were broken" })
      assert.include(String(broken?.["before"]), '"stock":5')
      assert.include(String(broken?.["after"]), '"stock":3')
      assert.deepInclude(counted, { version: 3, stock: "4", reason: null })
      assert.deepStrictEqual(rest, [])
    })
  )

  it.effect("keeps every digit: decimals are no floats", () =>
    Effect.gen(function* () {
      const { client, path } = yield* stocked(0.1)
      assert.deepStrictEqual(stocksOf(yield* set(client, path, { adjust: 0.2 }))[0], 0.3)
      const exact = yield* set(client, path, '{"adjust": 0.12345678901234567890123}')
      assert.include(exact.text, '"stock":0.42345678901234567890123,')
      const back = yield* set(
        client,
        path,
        '{"adjust": -0.12345678901234567890123, "expectedStock": 42345678901234567890123e-23}'
      )
      assert.include(back.text, '"stock":0.3,')
      const most = yield* set(client, path, { stock: 999_999_999_999_999 })
      assert.include(most.text, '"stock":999999999999999,')
    })
  )

  it.effect("below zero or beyond what a number may be is 422, and changes nothing", () =>
    Effect.gen(function* () {
      const { client, large, path, small, storeId } = yield* stocked(5)
      const bodies = [
        { adjust: -5.000001 },
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
      assert.strictEqual((yield* client.patch(path, { adjust: 1e14 })).status, 422)
      assert.lengthOf(yield* toldOf(storeId), 2)
    })
  )

  it.effect("is changed only from the stock that is expected, and of a variant that there is", () =>
    Effect.gen(function* () {
      const { client, large, path, small } = yield* stocked(5)
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

  it.effect("is asked for by exactly one of stock and adjust, in fields that are what they say", () =>
    Effect.gen(function* () {
      const { client, path } = yield* stocked(5)
      const issuesOf = (body: unknown, headers = {}) =>
        Effect.map(client.patch(path, body, { headers }), (answer) => {
          assert.strictEqual(answer.status, 400, answer.text)
          return errorOf(answer).issues
        })
      const choose = ["stock: must be given, or `adjust`, and not both"]
      for (const body of [{}, { stock: 1, adjust: 1 }, { reason: "None" }])
        assert.deepStrictEqual(yield* issuesOf(body), choose)
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

  it.effect("is changed once under a key, whatever is sent again", () =>
    Effect.gen(function* () {
      const { client, path } = yield* stocked(5)
      const sell = client.patch(path, { adjust: -1 }, { key: "sale-1" })
      const first = yield* sell
      const second = yield* sell
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(second.text, first.text)
      assert.strictEqual((yield* client.patch(path, { adjust: -2 }, { key: "sale-1" })).status, 409)
      assert.deepStrictEqual(stocksOf(yield* set(client, path, { adjust: 0 }))[0], 4)
    })
  )

  it.effect("loses no change of many at once, on two servers: 64 that take one of 50 are 50 and 14 refused", () =>
    Effect.gen(function* () {
      const { client, path, product, small, storeId } = yield* stocked(50)
      const other = makeClient(yield* neighbour, client.token)
      const takeOne = (body: object) =>
        Effect.forEach(
          Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? client : other)),
          (server) => Effect.map(server.patch(path, { adjust: -1, ...body }), ({ status }) => status),
          { concurrency: "unbounded" }
        )
      assert.deepStrictEqual(count(yield* takeOne({})), [50, 14])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update rate_windows set hits = '{}' where store_id = ${storeId}`
      assert.deepStrictEqual(count(yield* takeOne({ variantId: small })), [3, 61])
      yield* sql`update rate_windows set hits = '{}' where store_id = ${storeId}`
      const last = yield* set(client, path, { adjust: 0 })
      assert.deepStrictEqual(stocksOf(last), [0, 0, undefined])
      assert.strictEqual(dataOf(last)["version"], 54)
      const told = yield* toldOf(storeId)
      assert.deepStrictEqual(
        told.map(({ version }) => version),
        Array.from({ length: 54 }, (_, index) => index + 1)
      )
      // Rules look for the stock elsewhere.
      const collection = { title: "Sold out", rules: [{ field: "stock", relation: "equals", value: 0 }] }
      assert.deepStrictEqual(dataOf(yield* client.post("/collections", collection))["productIds"], [product["id"]])
    })
  )
})
