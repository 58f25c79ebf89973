import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type pg from "pg"
import { badReceivers, FLOOD_BYTES, type Kind } from "../../support/webhooks/BadReceivers.ts"
import { memoryOf } from "../../support/process/Memory.ts"
import { createTokens, makeMigratedDatabase, rowsOf, waitUntil } from "../../support/process/Process.ts"
import { createUntilSuccess, listeners, makeProducts, startSender, startWorker } from "../../support/process/Workers.ts"

const PRODUCTS = 40

/** Maximum concurrent requests to an endpoint, and to a failing one. */
const LIMIT = 32
const FAILING_LIMIT = 2

/** Timeout of a request in milliseconds, and tolerance for a busy machine. */
const TIMEOUT = 10_000
const SLACK = 5000

const SLOW = ["hang", "drip"] as const
const FAST = ["fail", "reset", "redirect"] as const

/**
 * Maximum memory growth of a worker in MiB while it receives gigabytes: socket buffers, not response bodies. Node 24
 * collects them later than Node 20 (149 MiB measured).
 */
const GROWTH = 192

const attemptsOf = (client: pg.Client, appId: string | undefined) =>
  rowsOf(
    client,
    `select duration_ms::int as took, status, error, length(answer) as kept
     from delivery_attempts join deliveries using (store_id, event_id, installation_id)
     where app_id = $1 and duration_ms is not null`,
    [appId]
  )

it.live("failing, hanging, slow, resetting and redirecting receivers do not delay others, and end within 10 s", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const receivers = yield* badReceivers()
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { storeId, tokens } = yield* createTokens(url)
    const kinds: ReadonlyArray<Kind> = ["well", ...SLOW, ...FAST]
    const apps = yield* listeners(url, storeId, kinds.map(receivers.urlOf))
    const attempts = (kind: Kind) => attemptsOf(client, apps[kinds.indexOf(kind)]?.appId)
    const finished = (kind: Kind, n: number) => waitUntil(attempts(kind), (rows) => rows.length >= n)
    yield* rowsOf(client, "update webhooks set paused_at = now(), pause_reason = 'operator'")
    yield* makeProducts(server.base, tokens, PRODUCTS)
    yield* startWorker({ DATABASE_URL: url })
    yield* rowsOf(client, "update webhooks set paused_at = null, pause_reason = null")

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
    yield* Effect.forEach(SLOW, (kind) => finished(kind, LIMIT + FAILING_LIMIT))
    for (const kind of SLOW) {
      assert.strictEqual(receivers.seen(kind).most, FAILING_LIMIT)
      for (const { error, status, took } of yield* attempts(kind)) {
        assert.approximately(Number(took), TIMEOUT, SLACK)
        assert.match(String(error), /within 10 seconds$/)
        assert.isNull(status)
      }
    }
    for (const kind of FAST) {
      assert.isAbove(receivers.seen(kind).requests, PRODUCTS)
      assert.isAtMost(receivers.seen(kind).most, FAILING_LIMIT)
    }
    for (const { status } of yield* attempts("fail")) assert.strictEqual(status, 500)
    for (const { status } of yield* attempts("redirect")) assert.strictEqual(status, 307)
    for (const { error } of yield* attempts("reset")) assert.match(String(error), /closed the connection/)
    assert.strictEqual(receivers.seen("elsewhere").requests, 0)
  })
)

it.live.skipIf(process.platform !== "linux")(
  "responses of 1 GiB are read to the end or the timeout with bounded memory",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const receivers = yield* badReceivers()
      const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { storeId, tokens } = yield* createTokens(url)
      const [well, flood] = yield* listeners(url, storeId, [receivers.urlOf("well"), receivers.urlOf("flood")])
      const worker = yield* startWorker({ DATABASE_URL: url })
      yield* rowsOf(client, "update webhooks set paused_at = now(), pause_reason = 'operator' where app_id = $1", [
        flood?.appId
      ])
      yield* makeProducts(server.base, tokens, 4)
      yield* waitUntil(attemptsOf(client, well?.appId), (rows) => rows.length === 4)
      const before = memoryOf(worker.child.pid)

      yield* rowsOf(client, "update webhooks set paused_at = null, pause_reason = null")
      const answers = yield* waitUntil(attemptsOf(client, flood?.appId), (rows) => rows.length >= 4)
      for (const { error, kept, took } of answers) {
        assert.isAtMost(Number(took), TIMEOUT + SLACK)
        assert.strictEqual(kept, 16_384)
        if (error !== null) assert.match(String(error), /within 10 seconds$/)
      }
      assert.isAbove(receivers.flooded(), FLOOD_BYTES / 2)
      const after = memoryOf(worker.child.pid)
      assert.isBelow(after.most - before.most, GROWTH)
      yield* createUntilSuccess(() => server.base, tokens[0], "afterwards")
      yield* waitUntil(attemptsOf(client, well?.appId), (rows) => rows.length === 5)
    })
)
