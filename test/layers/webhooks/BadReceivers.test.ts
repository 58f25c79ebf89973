import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { RequestTimeout } from "../../../src/layers/webhooks/Outgoing.ts"
import { webhookWorker } from "../../../src/layers/webhooks/Worker.ts"
import { freshClient, IsolatedApiTest } from "../../support/http/Api.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { badReceivers, type Kind } from "../../support/webhooks/BadReceivers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { installApp, subscriber, waitForRequests } from "../../support/webhooks/Webhooks.ts"

const PRODUCTS = 40

/** Maximum concurrent requests to an endpoint, and to a failing one. */
const LIMIT = 32
const FAILING_LIMIT = 2

/** Timeout of a request in milliseconds, and tolerance for a busy machine. */
const TIMEOUT = 6000
const SLACK = 4000

const SLOW = ["hang", "drip"] as const
const FAST = ["fail", "reset", "redirect"] as const

/** Fresh, as layers are shared: the client of the surrounding layer has another timeout. */
const startWorker = (timeout: number) =>
  Layer.build(Layer.provide(Layer.fresh(webhookWorker(256)), Layer.succeed(RequestTimeout, timeout)))

const attemptsOf = (appId: AppId | undefined) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select duration_ms::int as took, status, error
      from delivery_attempts join deliveries using (store_id, event_id, installation_id)
      where app_id = ${appId} and duration_ms is not null
    `
  )

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A worker", (it) => {
  it.effect("failing, hanging, slow, resetting and redirecting receivers do not delay others, and end in time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const receivers = yield* badReceivers()
      const { client, storeId } = yield* freshClient()
      const kinds: ReadonlyArray<Kind> = ["well", ...SLOW, ...FAST]
      const apps = yield* Effect.forEach(kinds, (kind) => subscriber({ url: `${receivers.urlOf(kind)}/hook` }))
      for (const { appId } of apps) yield* installApp(storeId, appId)
      const attempts = (kind: Kind) => Effect.orDie(attemptsOf(apps[kinds.indexOf(kind)]?.appId))
      const finished = (kind: Kind, n: number) => waitUntil(attempts(kind), (rows) => rows.length >= n)
      for (let n = 0; n < PRODUCTS; n++) yield* client.post("/products", { name: "Cup" })
      yield* startWorker(TIMEOUT)

      // The healthy receiver gets all events before the first hanging request times out.
      yield* waitUntil(
        Effect.sync(() => SLOW.map((kind) => receivers.seen(kind).open)),
        (open) => open.every((n) => n >= LIMIT)
      )
      yield* finished("well", PRODUCTS)
      assert.strictEqual(receivers.seen("well").requests, PRODUCTS)
      assert.lengthOf(yield* attempts("hang"), 0)

      for (const kind of SLOW) assert.strictEqual(receivers.seen(kind).most, LIMIT)
      yield* Effect.forEach(FAST, (kind) => finished(kind, PRODUCTS))
      for (const kind of FAST) assert.isAtMost(receivers.seen(kind).most, LIMIT)

      // From here on all of these receivers are marked as failing and retried after 5 s.
      receivers.forgetMost()
      yield* Effect.forEach(SLOW, (kind) => finished(kind, LIMIT))
      yield* sql`update deliveries set next_at = now() where finished_at is null and lease is null`
      yield* Effect.forEach(SLOW, (kind) => finished(kind, LIMIT + FAILING_LIMIT))
      for (const kind of SLOW) {
        assert.strictEqual(receivers.seen(kind).most, FAILING_LIMIT)
        for (const { error, status, took } of yield* attempts(kind)) {
          assert.approximately(Number(took), TIMEOUT, SLACK)
          assert.match(String(error), /within 6 seconds$/)
          assert.isNull(status)
        }
      }
      for (const kind of FAST) {
        assert.isAbove(receivers.seen(kind).requests, PRODUCTS)
        assert.isAtMost(receivers.seen(kind).most, FAILING_LIMIT)
      }
      for (const { status } of yield* attempts("fail")) assert.strictEqual(status, 500)
      for (const { error, status } of yield* attempts("redirect")) assert.strictEqual(status, 307, String(error))
      for (const { error } of yield* attempts("reset")) assert.match(String(error), /closed the connection/)
      assert.strictEqual(receivers.seen("elsewhere").requests, 0)
    })
  )
})

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A worker that stops", (it) => {
  it.effect("waits for a hanging receiver until the request timeout, and stores the attempt", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endpoint = yield* receiver(() => "hang")
      const { client, storeId } = yield* freshClient()
      const { appId } = yield* subscriber(endpoint)
      yield* installApp(storeId, appId)
      const stopped = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      yield* Scope.provide(startWorker(1000), stopped)
      yield* client.post("/products", { name: "Cup" })
      yield* waitForRequests(endpoint, 1)
      yield* Scope.close(stopped, Exit.void)
      assert.deepStrictEqual(
        yield* sql`select attempt, error, lease from delivery_attempts join deliveries using (event_id)`,
        [{ attempt: 1, error: "The receiver did not answer within 1 seconds", lease: null }]
      )
    })
  )
})
