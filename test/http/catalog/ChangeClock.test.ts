import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ApiTest, assertUnavailable, dataOf, freshClient } from "../../support/http/Api.ts"
import { connection, databaseUrl, rowsOf, waitForLockWaits, waitUntil } from "../../support/process/Process.ts"

/** A store with its resources, whose change clock another session locks exclusively until `release`. */
const lockedStore = Effect.gen(function* () {
  const { client, storeId } = yield* freshClient()
  const { id: productId } = dataOf(yield* client.post("/products", { name: "Cup" }))
  const { id: collectionId } = dataOf(yield* client.post("/collections", { title: "Tea" }))
  const url = yield* databaseUrl
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "select pg_advisory_lock(72101, uuid_hash($1))", [storeId])
  return {
    client,
    watcher,
    release: rowsOf(holder, "select pg_advisory_unlock_all()"),
    writes: {
      "creation of a product": client.post("/products", { name: "Jug" }),
      "update of a product": client.patch(`/products/${String(productId)}`, { price: 1 }),
      "stock of a product": client.patch(`/products/${String(productId)}/inventory`, { adjust: 1 }),
      "creation of a collection": client.post("/collections", { title: "Coffee" }),
      "update of a collection": client.patch(`/collections/${String(collectionId)}`, { title: "Green tea" }),
      "deletion of a collection": client.delete(`/collections/${String(collectionId)}`),
      "deletion of a product": client.delete(`/products/${String(productId)}`)
    }
  }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Clock of changes", (it) => {
  it.effect("every write waits while another session holds the lock of the clock, and then succeeds", () =>
    Effect.gen(function* () {
      for (const name of Object.keys((yield* lockedStore).writes)) {
        const { release, watcher, writes } = yield* lockedStore
        const write = Object.entries(writes).find(([other]) => other === name)?.[1] ?? assert.fail(name)
        const fiber = yield* Effect.forkChild(write)
        yield* Effect.raceFirst(
          waitForLockWaits(watcher, 1),
          Effect.flatMap(Fiber.join(fiber), ({ text }) => Effect.die(new Error(`${name} did not wait: ${text}`)))
        )
        yield* release
        assert.include([200, 201], (yield* Fiber.join(fiber)).status, name)
      }
    })
  )

  it.effect("a write whose wait for the clock is ended returns 503 and stores nothing", () =>
    Effect.gen(function* () {
      const { client, release, watcher, writes } = yield* lockedStore
      for (const name of ["creation of a product", "update of a product"] as const) {
        const fiber = yield* Effect.forkChild(writes[name])
        const [session] = yield* waitForLockWaits(watcher, 1)
        yield* rowsOf(watcher, "select pg_cancel_backend($1)", [session])
        assertUnavailable(yield* Fiber.join(fiber))
        yield* waitUntil(waitForLockWaits(watcher, 0), ({ length }) => length === 0)
      }
      yield* release
      const { text } = yield* client.get("/products")
      assert.notInclude(text, "Jug")
      assert.strictEqual(dataOf(yield* client.post("/products", { name: "Mug" }))["name"], "Mug")
    })
  )
})
