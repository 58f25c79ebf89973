import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest, dataOf, install } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toChange = Schema.decodeUnknownSync(SetInventory)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Inventory over RPC", (it) => {
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
