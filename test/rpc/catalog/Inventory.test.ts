import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CreateProduct, type ProductId } from "../../../src/domain/catalog/Product.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest, dataOf, errorOf as restErrorOf, install } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const STOCKED = toProduct({ name: "Cup", stock: 5 })

/** Expected outcomes and the changes of a stock of 5 that lead to them. */
const CHANGES = [
  ["changed", { adjust: 2, expectedStock: 5 }],
  ["changed", { stock: 5 }],
  ["StockOutOfRange", { adjust: -6 }],
  ["StockMismatch", { stock: 1, expectedStock: 4 }],
  ["VariantNotFound", { stock: 1, variantId: "019c1363-49c0-7fff-8000-000000000000" }]
] as const

const toChange = Schema.decodeUnknownSync(SetInventory)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Inventory over RPC", (it) => {
  it.effect("a stock change runs once per idempotency key, and the journal has its actor and reason", () =>
    Effect.gen(function* () {
      const { client, merchantId, storeId } = yield* freshMember()
      const product = toProduct({ name: "Cup", stock: 5, variants: [{ title: "Small", stock: 3 }] })
      const { id, variants } = yield* client.products
        .create({ storeId, idempotencyKey: newKey(), product })
        .pipe(performed)
      const change = toChange({ adjust: -2, reason: "Two were broken" })
      const key = newKey()
      const changed = yield* client.inventory.change({ storeId, idempotencyKey: key, id, change }).pipe(performed)
      assert.deepInclude(changed, { stock: 3, version: 2 })
      assert.deepStrictEqual(
        yield* client.inventory.change({ storeId, idempotencyKey: key, id, change }).pipe(performed),
        changed
      )
      const small = toChange({ stock: 7, variantId: variants[0]?.id })
      const counted = yield* client.inventory
        .change({ storeId, idempotencyKey: newKey(), id, change: small })
        .pipe(performed)
      assert.strictEqual(counted.variants[0]?.stock, 7)
      assert.strictEqual(counted.stock, 3)

      const sql = yield* SqlClient.SqlClient
      const [entry] = yield* sql`
        select actor_id, reason from journal where store_id = ${storeId} and version = 2
      `
      assert.deepStrictEqual(entry, { actor_id: merchantId, reason: "Two were broken" })
    })
  )

  it.effect("a stock change over RPC has the same outcome as over REST", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const app = yield* install(storeId)
      for (const [expected, input] of CHANGES) {
        const createProduct = () =>
          client.products.create({ storeId, idempotencyKey: newKey(), product: STOCKED }).pipe(performed)
        const [first, second] = [yield* createProduct(), yield* createProduct()]
        const rest = yield* app.client.patch(`/products/${first.id}/inventory`, input)
        const request = { storeId, idempotencyKey: newKey(), id: second.id, change: toChange(input) }
        const call = yield* Effect.result(client.inventory.change(request).pipe(performed))
        assert.strictEqual(Result.match(call, { onFailure: ({ _tag }) => _tag, onSuccess: () => "changed" }), expected)
        if (Result.isFailure(call)) assert.strictEqual(call.failure.message, restErrorOf(rest).error)
        else assert.deepInclude(dataOf(rest), { stock: call.success.stock, version: call.success.version })
        const stockOf = (id: ProductId) => Effect.map(client.products.get({ storeId, id }), ({ stock }) => stock)
        assert.strictEqual(yield* stockOf(first.id), yield* stockOf(second.id))
      }
    })
  )

  it.effect("64 concurrent decrements over REST and RPC sell each of 50 items once", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const app = yield* install(storeId)
      const product = toProduct({ name: "Cup", stock: 50 })
      const { id } = yield* client.products.create({ storeId, idempotencyKey: newKey(), product }).pipe(performed)
      const change = toChange({ adjust: -1 })
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 64 }, (_, index) => index % 2 === 0),
        (isCall) =>
          isCall
            ? Effect.map(
                Effect.result(
                  client.inventory.change({ storeId, idempotencyKey: newKey(), id, change }).pipe(performed)
                ),
                Result.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "sold" })
              )
            : Effect.map(app.client.patch(`/products/${id}/inventory`, { adjust: -1 }), ({ status }) =>
                status === 200 ? "sold" : status === 422 ? "StockOutOfRange" : String(status)
              ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        outcomes.filter((outcome) => outcome === "sold"),
        50
      )
      assert.lengthOf(
        outcomes.filter((outcome) => outcome === "StockOutOfRange"),
        14
      )
      assert.deepInclude(yield* client.products.get({ storeId, id }), { stock: 0, version: 51 })
      const last = yield* app.client.patch(`/products/${id}/inventory`, { adjust: 0 })
      assert.strictEqual(dataOf(last)["version"], 51)
    })
  )
})
