import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMigratedDatabase, rowsOf } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import {
  makeSubscribers,
  auditReceiver,
  makeProducts,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"

const PRODUCTS = 200
const LISTENERS = 8

it.live("three workers and a server that share a backlog deliver each event to each app exactly once", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const endpoint = yield* receiver()
    const environment = { DATABASE_URL: url }
    const writer = yield* startSender({ ...environment, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS, 6)
    yield* makeProducts(writer.base, tokens, PRODUCTS)
    yield* rowsOf(client, "update webhooks set paused_at = now(), pause_reason = 'operator'")

    const workers = [
      startWorker(environment),
      startWorker(environment),
      startWorker(environment),
      startSender(environment)
    ]
    const processes = yield* Effect.all(workers, { concurrency: "unbounded" })
    assert.lengthOf(endpoint.received, 0)
    yield* rowsOf(client, "update webhooks set paused_at = null, pause_reason = null")
    yield* rowsOf(client, "notify deliveries")
    assert.deepStrictEqual(yield* auditReceiver(client, endpoint), {
      due: PRODUCTS * LISTENERS,
      lost: [],
      unexpected: [],
      unexplained: [],
      unrecorded: [],
      duplicates: 0,
      expiredLeases: 0
    })
    for (const { output } of processes) assert.strictEqual(output.stderr, "")
  })
)
