import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connection, makeMigratedDatabase, rowsOf, waitForLockWaits, waitUntil } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import {
  makeSubscribers,
  auditReceiver,
  endSessions,
  createUntilSuccess,
  makeGate,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"

/** Concurrent, as these tests mostly wait. */
const concurrently = { concurrent: true }

/** Duration of a lease in milliseconds. */
const LEASE_MILLIS = 20_000

const exact = { lost: [], strange: [], unexplained: [], unwritten: [], doubled: 0, lapsed: 0 }

it.live(
  "a server killed while it stores deliveries does not store the event either",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const endpoint = yield* receiver()
      const environment = { DATABASE_URL: url, WEBHOOK_WORKERS: "0" }
      let server = yield* startSender(environment)
      const { tokens } = yield* makeSubscribers(url, endpoint, 3)
      const notifications: Array<unknown> = []
      client.on("notification", (notification) => void notifications.push(notification))
      yield* rowsOf(client, "listen deliveries")
      const holder = yield* connection(url)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table deliveries in share mode")
      const writing = yield* Effect.forkChild(createUntilSuccess(() => server.base, tokens[0], "one"))
      yield* waitForLockWaits(client, 1)
      // Workers are not notified of uncommitted deliveries.
      yield* Effect.sleep("500 millis")
      assert.lengthOf(notifications, 0)
      server.kill("SIGKILL")
      yield* server.ended
      // Terminates its sessions: the database would finish a statement after its client is gone.
      yield* endSessions(client, url)
      yield* rowsOf(holder, "rollback")
      assert.deepStrictEqual(yield* rowsOf(client, "select 1 from events"), [])

      server = yield* startSender(environment)
      yield* Fiber.join(writing)
      yield* waitUntil(
        Effect.sync(() => notifications.length),
        (n) => n > 0
      )
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 3 })
    }),
  concurrently
)

it.live(
  "events that a killed server committed are delivered by another process",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const endpoint = yield* receiver()
      const server = yield* startSender({ DATABASE_URL: url })
      const { tokens } = yield* makeSubscribers(url, endpoint, 3)
      // The pause prevents a claim before the server is killed.
      yield* rowsOf(client, "update webhooks set paused_at = now(), pause_reason = 'operator'")
      yield* createUntilSuccess(() => server.base, tokens[0], "one")
      server.kill("SIGKILL")
      yield* server.ended
      yield* rowsOf(client, "update webhooks set paused_at = null, pause_reason = null")
      assert.lengthOf(endpoint.received, 0)
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 3 })
    }),
  concurrently
)

it.live(
  "deliveries in flight when a server is killed are sent again after the lease expires",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const server = yield* startSender({ DATABASE_URL: url })
      const { listeners, tokens } = yield* makeSubscribers(url, endpoint, 3)
      const [expiredApp] = listeners
      gate.close()
      yield* createUntilSuccess(() => server.base, tokens[0], "one")
      yield* gate.holds(3)
      server.kill("SIGKILL")
      yield* server.ended
      gate.open()
      // Moves one lease a minute back, so that it has expired.
      yield* rowsOf(client, "update deliveries set next_at = next_at - interval '1 minute' where app_id = $1", [
        expiredApp?.appId
      ])
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 3, doubled: 3, lapsed: 3 })

      const [, , , , ...again] = endpoint.received
      const first = endpoint.received[0]?.at ?? 0
      assert.lengthOf(again, 2)
      for (const { at } of again) assert.isAtLeast(at - first, LEASE_MILLIS - 1000)
      const starts = yield* rowsOf(
        client,
        `select app_id = $1 as early, extract(epoch from started_at)::float8 * 1000 as at
       from delivery_attempts join deliveries using (store_id, event_id, installation_id) where attempt = 1`,
        [expiredApp?.appId]
      )
      for (const { at, early } of starts)
        assert.approximately(Number(at) + (early === true ? 60_000 : 0), performance.timeOrigin + first, 2000)
    }),
  concurrently
)

it.live(
  "a worker frozen for longer than its lease does not overwrite the result of another worker",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* makeSubscribers(url, endpoint, 1)
      const frozen = yield* startWorker({ DATABASE_URL: url })
      gate.close()
      yield* createUntilSuccess(() => server.base, tokens[0], "one")
      yield* gate.holds(1)
      frozen.kill("SIGSTOP")
      yield* startWorker({ DATABASE_URL: url })
      yield* gate.holds(2)

      const attempts = rowsOf(client, "select attempt, duration_ms, error from delivery_attempts order by attempt")
      assert.deepInclude((yield* attempts)[0], { attempt: 1, duration_ms: null })
      frozen.kill("SIGCONT")
      yield* waitUntil(attempts, ([first]) => first?.["duration_ms"] !== null)
      const leases = yield* rowsOf(client, "select lease is not null as held, outcome, attempts from deliveries")
      assert.deepStrictEqual(leases, [{ held: true, outcome: null, attempts: 2 }])
      gate.open()
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 1, doubled: 1 })
      assert.deepInclude((yield* attempts)[0], { error: "The receiver did not answer within 10 seconds" })
      assert.lengthOf(yield* attempts, 2)
    }),
  concurrently
)
