import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type pg from "pg"
import { badReceivers } from "../../support/webhooks/BadReceivers.ts"
import { memoryOf } from "../../support/process/Memory.ts"
import { createTokens, makeMigratedDatabase, rowsOf, waitUntil } from "../../support/process/Process.ts"
import { createUntilSuccess, listeners, makeProducts, startSender, startWorker } from "../../support/process/Workers.ts"

/** Timeout of a request in milliseconds, and tolerance for a busy machine. */
const TIMEOUT = 10_000
const SLACK = 5000

/**
 * Maximum memory growth of a worker in MiB while it receives gigabytes: socket buffers, not response bodies. Node 24
 * collects them later than Node 20 (149 MiB measured).
 */
const GROWTH = 192

/** Bytes of each of the four responses. One is more than the allowed growth. */
const FLOOD_BYTES = 2 ** 28

const attemptsOf = (client: pg.Client, appId: string | undefined) =>
  rowsOf(
    client,
    `select duration_ms::int as took, status, error, length(answer) as kept
     from delivery_attempts join deliveries using (store_id, event_id, installation_id)
     where app_id = $1 and duration_ms is not null`,
    [appId]
  )

it.live.skipIf(process.platform !== "linux")(
  "responses of 256 MiB are read to the end or the timeout with bounded memory",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const receivers = yield* badReceivers(undefined, FLOOD_BYTES)
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
