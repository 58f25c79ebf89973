import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ownDatabase, rowsOf } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { audience, books, makeProducts, startSender, startWorker } from "../../support/process/Workers.ts"

const PRODUCTS = 500
const LISTENERS = 8

it.live(
  "three workers and a server that share a backlog deliver each event to each app exactly once",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const endpoint = yield* receiver()
      const environment = { DATABASE_URL: url }
      const writer = yield* startSender({ ...environment, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* audience(url, endpoint, LISTENERS, 6)
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
      assert.deepStrictEqual(yield* books(client, endpoint), {
        due: PRODUCTS * LISTENERS,
        lost: [],
        strange: [],
        unexplained: [],
        unwritten: [],
        doubled: 0,
        lapsed: 0
      })
      for (const { said } of processes) assert.strictEqual(said.stderr, "")
    }),
  90_000
)
