import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { request } from "node:http"
import { MAX_WAITING } from "../../../src/domain/Bulkhead.ts"
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
import { connection, databaseUrl, holdStore, rowsOf, waiting, watch } from "../../support/process/Process.ts"

/** Operations of one store at once in a process with ten connections. */
const AT_ONCE = 3

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

const create = (client: Client, index: number) => client.post("/products", { name: `Cup ${index}` })

const statuses = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ status }) => status))]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The load of a store", (it) => {
  it.effect(
    "is its own: while one waits for a lock with all it may send, others are answered and the service is ready",
    () =>
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const { client: other } = yield* freshClient()
        const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
        const writes = yield* Effect.forkChild(
          Effect.forEach(times(90), (index) => create(client, index), { concurrency: "unbounded" })
        )
        yield* waiting(watcher, AT_ONCE)

        const reads = yield* Effect.forEach(times(20), () => other.get("/products"), { concurrency: 5 })
        const ready = yield* client.get(`${yield* baseUrl}/readyz`)
        const write = yield* create(other, 0)
        assert.deepStrictEqual(statuses(reads), [200])
        assert.strictEqual(ready.status, 200)
        assert.strictEqual(write.status, 201)
        assert.lengthOf(yield* waiting(watcher, 0), AT_ONCE)

        yield* release
        assert.deepStrictEqual(statuses(yield* Fiber.join(writes)), [201])
      })
  )

  it.effect("that applies rules leaves a turn to the rest of it", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table collections in access exclusive mode")
      const lists = yield* Effect.forkChild(
        Effect.forEach(times(20), () => client.get("/collections"), { concurrency: "unbounded" })
      )
      yield* waiting(watcher, AT_ONCE - 1)
      assert.strictEqual((yield* create(client, 0)).status, 201)
      assert.lengthOf(yield* waiting(watcher, 0), AT_ONCE - 1)
      yield* rowsOf(holder, "commit")
      assert.deepStrictEqual(statuses(yield* Fiber.join(lists)), [200])
    })
  )

  it.effect("has a line that is bounded: beyond it a request is refused at once, and may be repeated", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: second } = yield* install(storeId)
      const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
      const ask = (index: number) =>
        (index % 2 === 0 ? client : second).post("/products", { name: `Cup ${index}` }, { key: `key-${index}` })
      const fits = AT_ONCE + MAX_WAITING
      const refused: Array<Answer> = []
      const all = yield* Effect.forkChild(
        Effect.forEach(
          times(fits + 20),
          (index) =>
            Effect.tap(ask(index), (answer) =>
              Effect.sync(() => {
                if (answer.status === 503) refused.push(answer)
              })
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* watch(
        Effect.sync(() => refused.length),
        (n) => n >= 20
      )
      for (const answer of refused) {
        assert.include(errorOf(answer).error, "with the same Idempotency-Key")
        assert.strictEqual(answer.headers.get("retry-after"), "1")
      }
      assert.lengthOf(yield* waiting(watcher, 0), AT_ONCE)
      yield* release
      const answers = yield* Fiber.join(all)
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        fits
      )
      const repeated = yield* Effect.forEach(
        answers.flatMap(({ status }, index) => (status === 503 ? [index] : [])),
        ask,
        { concurrency: 5 }
      )
      assert.deepStrictEqual(statuses(repeated), [201])
    })
  )

  it.effect("leaves with the client: what it no longer waits for is read no longer, and waits in no line", () =>
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
      yield* waiting(watcher, AT_ONCE)
      for (const list of lists) list.destroy()
      // The holder of the lock keeps it: the database ends the waits because it is told to.
      const left = yield* watch(
        rowsOf(
          watcher,
          `select query from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'`
        ),
        (rows) => rows.length === 0
      )
      assert.isEmpty(left)
      yield* rowsOf(holder, "commit")
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [])
    })
  )

  it.effect("a write that has begun ends as it would have, whether or not its client waits", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
      const write = request(`${yield* baseUrl}/api/platform/v1/products`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${client.token}`,
          "content-type": "application/json",
          "idempotency-key": "begun"
        }
      }).on("error", () => {})
      write.end('{"name":"Cup"}')
      yield* waiting(watcher, 1)
      write.destroy()
      yield* release
      const replay = yield* client.post("/products", { name: "Cup" }, { key: "begun" })
      assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(dataOf(replay)["name"], "Cup")
    })
  )
})
