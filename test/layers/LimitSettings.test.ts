import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Journal } from "../../src/domain/journal/Journal.ts"
import { DEFAULT_LIMITS } from "../../src/domain/OperatorLimits.ts"
import { leastUuidOf } from "../../src/domain/Uuid.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { limitSettings } from "../../src/layers/LimitSettings.ts"
import { partAt } from "../../src/layers/journal/Journal.ts"
import { baseUrl, freshClient, pageOf, TestSettings } from "../support/http/Api.ts"
import { databaseUrl, lockStore, waitForLockWaits, waitUntil } from "../support/process/Process.ts"
import { makeMerchant, PASSWORD } from "../support/rpc/Merchants.ts"
import {
  deliveriesOf,
  IsolatedDeliveringApi,
  markFinished,
  scene,
  waitForRequests
} from "../support/webhooks/Webhooks.ts"

const DAY = 24 * 3_600_000

/** Ranges of the settings. */
const RANGES = {
  STORE_CONNECTION_PERCENT: [1, 100],
  STORE_QUEUE: [1, 10_000],
  WEBHOOK_ENDPOINT_REQUESTS: [1, 1_000],
  SIGN_IN_FAILURES_PAIR: [1, 1_000],
  SIGN_IN_FAILURES_ACCOUNT: [1, 10_000],
  SIGN_IN_FAILURES_ADDRESS: [1, 10_000],
  SESSION_DAYS: [1, 400],
  DELIVERY_DAYS: [7, 400],
  JOURNAL_DAYS: [30, 400]
} as const

const readWith = (env: Record<string, string>) =>
  Effect.provide(limitSettings, ConfigProvider.layer(ConfigProvider.fromEnv({ env, preserveEmptyStrings: true })))

describe("limit settings", () => {
  it.effect("an unset or empty limit has its default", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readWith({}), DEFAULT_LIMITS)
      const empty = Object.fromEntries(Object.keys(RANGES).map((name) => [name, ""]))
      assert.deepStrictEqual(yield* readWith(empty), DEFAULT_LIMITS)
    })
  )

  for (const [name, [min, max]] of Object.entries(RANGES)) {
    it.effect(`${name} is ${min} to ${max}`, () =>
      Effect.gen(function* () {
        for (const value of [min, max]) yield* readWith({ [name]: String(value) })
        for (const value of [min - 1, max + 1]) {
          const { message } = yield* Effect.flip(readWith({ [name]: String(value) }))
          assert.include(message, `Expected ${min} to ${max} but received ${value}`)
          assert.include(message, name)
        }
      })
    )
  }
})

const Limited = Layer.provide(
  IsolatedDeliveringApi,
  Layer.succeed(TestSettings, {
    STORE_CONNECTION_PERCENT: "50",
    STORE_QUEUE: "4",
    WEBHOOK_ENDPOINT_REQUESTS: "3",
    SIGN_IN_FAILURES_PAIR: "2",
    SIGN_IN_FAILURES_ACCOUNT: "3",
    SIGN_IN_FAILURES_ADDRESS: "5",
    SESSION_DAYS: "2",
    DELIVERY_DAYS: "7",
    JOURNAL_DAYS: "40"
  })
)

/** Signs in from an address. */
const signIn = Effect.fn(function* (email: string, password: string) {
  const base = yield* baseUrl
  return yield* Effect.promise(() =>
    fetch(`${base}/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: base },
      body: JSON.stringify({ email, password })
    })
  )
})

layer(Limited, { excludeTestServices: true, timeout: "60 seconds" })("Limits of an operator", (it) => {
  it.effect("STORE_CONNECTION_PERCENT and STORE_QUEUE bound the requests of a store", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      // Half of ten connections, and the queue.
      const [connections, queue] = [5, 4]
      let refused = 0
      const all = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: connections + queue + 3 }),
          (_, index) =>
            Effect.tap(client.post("/products", { name: `Cup ${index}` }), ({ status }) =>
              Effect.sync(() => (refused += status === 503 ? 1 : 0))
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* waitForLockWaits(watcher, connections)
      yield* waitUntil(
        Effect.sync(() => refused),
        (n) => n >= 3
      )
      assert.lengthOf(yield* waitForLockWaits(watcher, 0), connections)
      yield* release
      const created = (yield* Fiber.join(all)).filter(({ status }) => status === 201)
      assert.lengthOf(created, connections + queue)
    })
  )

  it.effect("WEBHOOK_ENDPOINT_REQUESTS bounds the requests to an endpoint", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<object>()
      const { appId, endpoint, writer } = yield* scene(() => Effect.runPromise(Deferred.await(opened)))
      for (let n = 0; n < 8; n++) yield* writer.post("/products", { name: `Cup ${n}` })
      yield* waitForRequests(endpoint, 3)
      const leased = (yield* deliveriesOf(appId)).filter(({ leased }) => leased)
      assert.lengthOf(leased, 3)
      yield* Deferred.succeed(opened, {})
      yield* waitForRequests(endpoint, 8)
      assert.strictEqual(endpoint.most(), 3)
    })
  )

  it.effect("SIGN_IN_FAILURES_* bound failed sign-ins, and SESSION_DAYS the session and its cookie", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const merchant = yield* makeMerchant()
      const signedIn = yield* signIn(merchant.email, PASSWORD)
      assert.match(signedIn.headers.get("set-cookie") ?? "", /Max-Age=172800/)
      const rows = yield* sql<{ readonly days: number }>`
        select round(extract(epoch from s.last_end - s.created_at) / 86400)::integer as days
        from sessions s join merchants m on m.id = s.merchant_id where m.email = ${merchant.email}
      `
      assert.deepStrictEqual(rows, [{ days: 2 }])

      const failures = (email: string, n: number) =>
        Effect.map(Effect.replicateEffect(signIn(email, "not the password"), n), (all) =>
          all.map(({ status }) => status)
        )
      assert.deepStrictEqual(yield* failures(merchant.email, 3), [401, 401, 429])
      // Two of the five of the address are used.
      const [second, third] = [yield* makeMerchant(), yield* makeMerchant()]
      assert.deepStrictEqual(yield* failures(second.email, 2), [401, 401])
      assert.deepStrictEqual(yield* failures(third.email, 2), [401, 429])
    })
  )

  it.effect("DELIVERY_DAYS bounds the age of finished deliveries and of events", () =>
    Effect.gen(function* () {
      const { purge } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, endpoint, storeId, writer } = yield* scene()
      for (const name of ["Old", "Young"]) yield* writer.post("/products", { name })
      yield* waitForRequests(endpoint, 2)
      const [old, young] = yield* waitUntil(deliveriesOf(appId), (all) =>
        all.every(({ outcome }) => outcome === "delivered")
      )
      if (old === undefined || young === undefined) return assert.fail("Two deliveries were expected")
      yield* markFinished([old.eventId], "delivered", 7.1)
      yield* markFinished([young.eventId], "delivered", 6.9)
      yield* sql`update events set occurred_at = now() - interval '8 days' where store_id = ${storeId}`
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      assert.deepStrictEqual(
        (yield* deliveriesOf(appId)).map(({ eventId }) => eventId),
        [young.eventId]
      )
      const events = yield* sql<{ readonly id: string }>`select id from events where store_id = ${storeId}`
      assert.deepStrictEqual(events, [{ id: young.eventId }])
    })
  )

  it.effect("JOURNAL_DAYS bounds positions of changes and empties partitions", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const statusAfter = (days: number) =>
        Effect.map(
          client.get(`/changes?after=${leastUuidOf(new Date(Date.now() - days * DAY))}`),
          ({ status }) => status
        )
      assert.deepStrictEqual([yield* statusAfter(41), yield* statusAfter(39)], [410, 200])

      for (const days of [75, 39]) {
        yield* sql`
          insert into journal (
            store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, after, omitted
          ) values (
            gen_random_uuid(), gen_random_uuid(), ${partAt(Date.now() - days * DAY)}, now() - ${days} * interval '1 day',
            'app', gen_random_uuid(), 'rest', 0, 'product', gen_random_uuid(), 1, '{}', '{}'
          )
        `
      }
      yield* purge
      const left = yield* sql<{ readonly old: boolean }>`
        select distinct at < now() - interval '50 days' as old from journal where at < now() - interval '1 day'
      `
      assert.deepStrictEqual(left, [{ old: false }])
    })
  )

  it.effect("lists by time of change examine all resources before JOURNAL_DAYS", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      // As after the partition of the change was emptied.
      yield* sql`truncate journal`
      const namesSince = (days: number) =>
        Effect.map(client.get(`/products?updatedSince=${new Date(Date.now() - days * DAY).toISOString()}`), (page) =>
          pageOf(page).items.map(({ name }) => name)
        )
      assert.deepStrictEqual([yield* namesSince(39), yield* namesSince(41)], [[], ["Cup"]])
    })
  )
})
