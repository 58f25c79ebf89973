import { assert, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { MAX_FOLLOWERS } from "../../../src/domain/journal/Changes.ts"
import {
  type Answer,
  ApiTest,
  type Client,
  errorOf,
  freshClient,
  install,
  IsolatedApiTest
} from "../../support/http/Api.ts"
import { createProduct, feedOf, readAfter, startOf } from "../../support/http/Feed.ts"
import {
  connection,
  databaseUrl,
  duringWork,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"

/** Sends one waiting request more than a store may have, until one is refused. The others wait then. */
const takeAllPlaces = Effect.fnUntraced(function* (client: Client, after: string) {
  const requests = yield* Effect.forEach(Array.from({ length: MAX_FOLLOWERS + 1 }), () =>
    Effect.forkChild(client.get(`/changes?after=${after}&wait=30`))
  )
  const refused = yield* Effect.raceAllFirst(requests.map(Fiber.join))
  assert.strictEqual(refused.status, 503, refused.text)
  return { refused, requests }
})

const areAllAnswered = (answers: ReadonlyArray<Answer>) => answers.every(({ status }) => status === 200)

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Waiting for changes", (it) => {
  it.effect("a change that commits late is not missed: it delays the changes after it", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const [early, late] = [yield* createProduct(client), yield* createProduct(client)]
      const after = yield* startOf(client)
      // The write of `late` has its journal id and waits for its idempotency key, which `holder` has locked.
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      const key = randomUUID()
      yield* rowsOf(holder, "begin")
      yield* rowsOf(
        holder,
        `insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
         select store_id, id, $2, '', '', now() + interval '1 day' from installations where store_id = $1`,
        [storeId, key]
      )
      const writing = yield* Effect.forkChild(client.patch(`/products/${late}`, { price: 1 }, { key }))
      yield* duringWork(writing, waitForLockWaits(watcher, 1))
      assert.strictEqual((yield* client.patch(`/products/${early}`, { price: 2 })).status, 200)
      const before = yield* readAfter(client, after)
      assert.deepStrictEqual(before.changes, [])
      const waiting = yield* Effect.forkChild(readAfter(client, before.nextPosition, "&wait=30"))
      yield* rowsOf(holder, "rollback")
      assert.strictEqual((yield* Fiber.join(writing)).status, 200)
      const { changes } = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        changes.map(({ id }) => id),
        [late, early]
      )
    })
  )

  it.effect("wait returns as soon as a change is readable, and an empty page when the time is over", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const after = yield* startOf(client)
      const empty = yield* readAfter(client, after, "&wait=1")
      assert.deepStrictEqual(empty.changes, [])
      assert.isTrue(empty.isLatest)
      const startedAt = Date.now()
      const waiting = yield* Effect.forkChild(readAfter(client, after, "&wait=30&resources=products"))
      yield* client.post("/collections", { title: "Cups" })
      const id = yield* createProduct(client)
      assert.deepStrictEqual(
        (yield* Fiber.join(waiting)).changes.map((change) => change.id),
        [id]
      )
      assert.isBelow(Date.now() - startedAt, 10_000)
    })
  )

  it.effect("waiting requests hold neither permits nor connections, and a store has at most 64 of them", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const after = yield* startOf(client)
      const { refused, requests } = yield* takeAllPlaces(client, after)
      assert.include(errorOf(refused).error, `${MAX_FOLLOWERS} followers`)
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      // Reads and writes of the store are not delayed, and answer the waiting requests.
      const { client: other } = yield* install(storeId)
      assert.strictEqual((yield* other.get("/products")).status, 200)
      const id = yield* createProduct(other)
      const waited = (yield* Fiber.joinAll(requests)).filter((answer) => answer !== refused)
      for (const answer of waited) assert.strictEqual(feedOf(answer).changes[0]?.id, id)
    })
  )

  it.effect("a request that the client aborts no longer waits", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const after = yield* startOf(client)
      const { requests } = yield* takeAllPlaces(client, after)
      yield* Fiber.interruptAll(requests)
      // A new installation each time, because of the rate limit.
      const waitAgain = Effect.flatMap(install(storeId), ({ client: other }) =>
        Effect.all(
          Array.from({ length: MAX_FOLLOWERS }, () => other.get(`/changes?after=${after}&wait=1`)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.timeout(waitUntil(waitAgain, areAllAnswered), "20 seconds")
    })
  )
})

it.live("waiting requests are answered when the server stops", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(IsolatedApiTest, scope)
    const { client } = yield* Effect.provide(freshClient(), context)
    const after = yield* startOf(client)
    const waiting = yield* Effect.forkChild(readAfter(client, after, "&wait=30"))
    yield* Effect.sleep("500 millis")
    const startedAt = Date.now()
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual((yield* Fiber.join(waiting)).changes, [])
    assert.isBelow(Date.now() - startedAt, 10_000)
  })
)
