import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connection, makeMigratedDatabase, rowsOf, waitForLockWaits, waitUntil } from "../../support/process/Process.ts"
import { type Reaction, receiver } from "../../support/webhooks/Receiver.ts"
import {
  makeSubscribers,
  auditReceiver,
  endLeases,
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

const exact = { lost: [], unexpected: [], unexplained: [], unrecorded: [], duplicates: 0, expiredLeases: 0 }

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
  "deliveries in flight when a server is killed are sent again after their leases of 20 s expire",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const server = yield* startSender({ DATABASE_URL: url })
      const { tokens } = yield* makeSubscribers(url, endpoint, 3)
      gate.close()
      yield* createUntilSuccess(() => server.base, tokens[0], "one")
      yield* gate.holds(3)
      server.kill("SIGKILL")
      yield* server.ended
      gate.open()
      const claimedAt = performance.timeOrigin + (endpoint.received[0]?.at ?? 0)
      const moved = yield* rowsOf(
        client,
        `update deliveries set next_at = next_at - interval '${LEASE_MILLIS} milliseconds'
         returning extract(epoch from next_at)::float8 * 1000 as "claimedAt"`
      )
      assert.lengthOf(moved, 3)
      for (const lease of moved) assert.approximately(Number(lease["claimedAt"]), claimedAt, 2000)
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), {
        ...exact,
        due: 3,
        duplicates: 3,
        expiredLeases: 3
      })

      const starts = yield* rowsOf(
        client,
        "select extract(epoch from started_at)::float8 * 1000 as at from delivery_attempts where attempt = 1"
      )
      // An attempt without a result starts one lease before its lease expired, which the test moved.
      for (const { at } of starts) assert.approximately(Number(at), claimedAt - LEASE_MILLIS, 2000)
    }),
  concurrently
)

it.live(
  "a worker frozen for longer than its lease does not overwrite the result of another worker",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const answers: Array<(reaction: Reaction) => void> = []
      const requested = (n: number) =>
        waitUntil(
          Effect.sync(() => answers.length),
          (length) => length === n
        )
      const endpoint = yield* receiver(() => new Promise<Reaction>((resolve) => void answers.push(resolve)))
      const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* makeSubscribers(url, endpoint, 1)
      const frozen = yield* startWorker({ DATABASE_URL: url })
      yield* createUntilSuccess(() => server.base, tokens[0], "one")
      yield* requested(1)
      frozen.kill("SIGSTOP")
      yield* endLeases(client)
      yield* startWorker({ DATABASE_URL: url })
      yield* requested(2)

      const attempts = rowsOf(client, "select attempt, duration_ms, status from delivery_attempts order by attempt")
      assert.deepInclude((yield* attempts)[0], { attempt: 1, duration_ms: null })
      frozen.kill("SIGCONT")
      answers[0]?.({ status: 500 })
      yield* waitUntil(attempts, ([first]) => first?.["duration_ms"] !== null)
      const leases = yield* rowsOf(client, "select lease is not null as held, outcome, attempts from deliveries")
      assert.deepStrictEqual(leases, [{ held: true, outcome: null, attempts: 2 }])
      answers[1]?.({})
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 1, duplicates: 1 })
      assert.deepStrictEqual(
        (yield* attempts).map(({ status }) => status),
        [500, 204]
      )
    }),
  concurrently
)
