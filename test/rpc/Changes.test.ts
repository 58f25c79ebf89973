import { HttpServer } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { WebSocket } from "ws"
import { makeClient } from "../../src/rpc/Client.ts"
import { ApiTest, baseUrl } from "../support/Api.ts"
import { freshMember, newKey } from "../support/Rpc.ts"

const followerOf = (cookie: string) =>
  Effect.flatMap(baseUrl, (base) =>
    makeClient({
      url: `${base}/rpc`,
      headers: { cookie },
      webSocket: (url) => new WebSocket(url, { headers: { cookie } })
    })
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Changes", (it) => {
  it.scoped("are told", () =>
    Effect.gen(function* () {
      const { client, cookie, merchantId, storeId } = yield* freshMember()
      const follower = yield* followerOf(cookie)
      const fiber = yield* Effect.fork(Stream.runCollect(Stream.take(follower.changes({ storeId }), 3)))
      yield* Effect.sleep("500 millis")
      const product = yield* client.products.create({ storeId, idempotencyKey: newKey(), product: { name: "Cup" } })
      yield* client.products.update({ storeId, idempotencyKey: newKey(), id: product.id, patch: { price: 3 } })
      yield* client.products.delete({ storeId, idempotencyKey: newKey(), id: product.id })
      const told = Chunk.toReadonlyArray(yield* fiber)
      console.log(told)
      assert.strictEqual(told.length, 3)
    })
  )
})
