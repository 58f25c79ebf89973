import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { request } from "node:http"
import { DEFAULT_LIMITS } from "../../../src/domain/OperatorLimits.ts"
import {
  type Answer,
  ApiTest,
  baseUrl,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  install,
  pageOf
} from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  lockStore,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { memberOf } from "../../support/rpc/Rpc.ts"

/** Concurrent operations of one store in a process with ten connections. */
const CONCURRENCY = 3

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

const create = (client: Client, index: number) => client.post("/products", { name: `Cup ${index}` })

/** Creates a product of 600 KB. */
const createLarge = (client: Client) =>
  Effect.map(client.post("/products", { name: "Large", metafields: { blob: "x".repeat(600_000) } }), dataOf)

const listProducts = (client: Client) =>
  Effect.forkChild(Effect.forEach(times(5), () => client.get("/products"), { concurrency: "unbounded" }))

/** Blocks reads of products until `release`. */
const lockProducts = Effect.fn(function* (url: string) {
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "begin")
  yield* rowsOf(holder, "lock table products in access exclusive mode")
  return { watcher, release: rowsOf(holder, "commit") }
})

const statuses = (responses: ReadonlyArray<Answer>) => [...new Set(responses.map(({ status }) => status))]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Bulkhead of a store", (it) => {
  it.effect("a store whose requests wait for a lock blocks neither other stores nor readiness", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: other } = yield* freshClient()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const writes = yield* Effect.forkChild(
        Effect.forEach(times(90), (index) => create(client, index), { concurrency: "unbounded" })
      )
      yield* waitForLockWaits(watcher, CONCURRENCY)

      const reads = yield* Effect.forEach(times(20), () => other.get("/products"), { concurrency: 5 })
      const ready = yield* client.get(`${yield* baseUrl}/readyz`)
      const write = yield* create(other, 0)
      assert.deepStrictEqual(statuses(reads), [200])
      assert.strictEqual(ready.status, 200)
      assert.strictEqual(write.status, 201)
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), CONCURRENCY)

      yield* release
      assert.deepStrictEqual(statuses(yield* Fiber.join(writes)), [201])
    })
  )

  it.effect("requests that evaluate rules leave one slot to other requests of the store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table collections in access exclusive mode")
      const lists = yield* Effect.forkChild(
        Effect.forEach(times(20), () => client.get("/collections"), { concurrency: "unbounded" })
      )
      yield* waitForLockWaits(watcher, CONCURRENCY - 1)
      assert.strictEqual((yield* create(client, 0)).status, 201)
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), CONCURRENCY - 1)
      yield* rowsOf(holder, "commit")
      assert.deepStrictEqual(statuses(yield* Fiber.join(lists)), [200])
    })
  )

  it.effect("one list with large pages runs at a time, beside other requests of the store and of others", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { client: other } = yield* freshClient()
      yield* createLarge(client)
      yield* client.get("/products")
      const { release, watcher } = yield* lockProducts(yield* databaseUrl)
      const large = yield* listProducts(client)
      yield* waitForLockWaits(watcher, 1)
      const small = yield* listProducts(other)
      yield* waitForLockWaits(watcher, 1 + CONCURRENCY)
      assert.strictEqual((yield* client.get("/orders")).status, 200)
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), 1 + CONCURRENCY)
      yield* release
      assert.deepStrictEqual(statuses([...(yield* Fiber.join(large)), ...(yield* Fiber.join(small))]), [200])
    })
  )

  it.effect("lists of a store run concurrently again after 16 small pages", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const large = yield* createLarge(client)
      yield* client.get("/products")
      yield* client.delete(`/products/${String(large["id"])}`)
      yield* Effect.forEach(times(16), () => client.get("/products"))
      const { release, watcher } = yield* lockProducts(yield* databaseUrl)
      const lists = yield* listProducts(client)
      yield* waitForLockWaits(watcher, CONCURRENCY)
      yield* release
      assert.deepStrictEqual(statuses(yield* Fiber.join(lists)), [200])
    })
  )

  it.effect("one write with a large body runs at a time, beside reads of the store", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const writes = yield* Effect.forkChild(
        Effect.forEach(times(5), () => createLarge(client), { concurrency: "unbounded" })
      )
      yield* waitForLockWaits(watcher, 1)
      assert.strictEqual((yield* client.get("/products")).status, 200)
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), 1)
      yield* release
      yield* Fiber.join(writes)
    })
  )

  it.effect("one call with a large result runs at a time over RPC", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: member } = yield* memberOf(storeId)
      yield* createLarge(client)
      const list = member.products.list({ storeId })
      yield* list
      const { release, watcher } = yield* lockProducts(yield* databaseUrl)
      const lists = yield* Effect.forkChild(
        Effect.all(
          times(5).map(() => list),
          { concurrency: "unbounded" }
        )
      )
      yield* waitForLockWaits(watcher, 1)
      assert.strictEqual((yield* client.get("/orders")).status, 200)
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), 1)
      yield* release
      yield* Fiber.join(lists)
    })
  )

  it.effect("a request beyond the bounded queue of its store returns 503 at once and can be retried", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: second } = yield* install(storeId)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const createWithKey = (index: number) =>
        (index % 2 === 0 ? client : second).post("/products", { name: `Cup ${index}` }, { key: `key-${index}` })
      const capacity = CONCURRENCY + DEFAULT_LIMITS.storeQueue
      const refused: Array<Answer> = []
      const all = yield* Effect.forkChild(
        Effect.forEach(
          times(capacity + 20),
          (index) =>
            Effect.tap(createWithKey(index), (response) =>
              Effect.sync(() => {
                if (response.status === 503) refused.push(response)
              })
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* waitUntil(
        Effect.sync(() => refused.length),
        (n) => n >= 20
      )
      for (const response of refused) {
        assert.include(errorOf(response).error, "with the same Idempotency-Key")
        assert.strictEqual(response.headers.get("retry-after"), "1")
      }
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), CONCURRENCY)
      yield* release
      const responses = yield* Fiber.join(all)
      assert.lengthOf(
        responses.filter(({ status }) => status === 201),
        capacity
      )
      const retried = yield* Effect.forEach(
        responses.flatMap(({ status }, index) => (status === 503 ? [index] : [])),
        createWithKey,
        { concurrency: 5 }
      )
      assert.deepStrictEqual(statuses(retried), [201])
    })
  )

  it.effect("a disconnecting client cancels its running and queued reads", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table products, collections in access exclusive mode")
      const base = yield* baseUrl
      const lists = times(10).map((index) =>
        request(`${base}/api/platform/v1/${index % 2 === 0 ? "products" : "collections"}`, {
          headers: { authorization: `Bearer ${client.token}` }
        }).on("error", () => {})
      )
      for (const list of lists) list.end()
      yield* waitForLockWaits(watcher, CONCURRENCY)
      for (const list of lists) list.destroy()
      // The lock is still held, so only cancellation ends the waits.
      const remaining = yield* waitUntil(
        rowsOf(
          watcher,
          `select query from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'`
        ),
        (rows) => rows.length === 0
      )
      assert.isEmpty(remaining)
      yield* rowsOf(holder, "commit")
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [])
    })
  )
})
