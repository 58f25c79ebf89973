import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connection, makeMigratedDatabase, serverUrl, waitUntil } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { restartable } from "../../support/postgres/Restart.ts"
import { waitForRequests } from "../../support/webhooks/Webhooks.ts"
import {
  makeSubscribers,
  auditReceiver,
  closeDatabase,
  endSessions,
  endLeases,
  deliveriesFinished,
  createUntilSuccess,
  listening,
  makeGate,
  makeProducts,
  openDatabase,
  startSender,
  startWorker,
  type Worker
} from "../../support/process/Workers.ts"

const LISTENERS = 8
const PRODUCTS = 120
const exact = { due: LISTENERS * PRODUCTS, lost: [], unexpected: [], unexplained: [], unrecorded: [] }

/** Log lines of a worker's deliveries about the database. Jobs log an outage too. */
const outages = ({ output }: Worker) =>
  output.stdout.split("\n").filter((line) => line.includes("Deliveries wait for the database"))

it.live("when all connections are cut repeatedly, no delivery is lost and deliveries continue", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const endpoint = yield* receiver()
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS, 4)
    const workers = yield* Effect.replicateEffect(startWorker({ DATABASE_URL: url }, 32), 2)
    const cutter = yield* connection(url)
    const writing = yield* Effect.forkChild(makeProducts(server.base, tokens, PRODUCTS))
    for (const moment of [50, 200, 350, 500, 650]) {
      yield* waitForRequests(endpoint, moment)
      yield* endSessions(cutter, url)
    }
    yield* Fiber.join(writing)
    const { duplicates, expiredLeases, ...rest } = yield* auditReceiver(client, endpoint)
    assert.deepStrictEqual(rest, exact)
    assert.isAtMost(duplicates, expiredLeases)
    yield* listening(client, workers.length)
    for (const { child, output } of workers) assert.deepStrictEqual([child.exitCode, output.stderr], [null, ""])
  })
)

it.live("when the database crashes and restarts, no delivery is lost and deliveries continue", () =>
  Effect.gen(function* () {
    const { restart, url } = yield* restartable
    const endpoint = yield* receiver()
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS, 4)
    const worker = yield* startWorker({ DATABASE_URL: url }, 32)
    const writing = yield* Effect.forkChild(makeProducts(server.base, tokens, PRODUCTS))
    for (const moment of [100, 400, 700]) {
      yield* waitForRequests(endpoint, moment)
      yield* restart
    }
    yield* Fiber.join(writing)
    const client = yield* connection(url)
    // The worker has dropped unsaved results. It claims these deliveries again after their leases.
    yield* endLeases(client)
    const { duplicates, expiredLeases, ...rest } = yield* auditReceiver(client, endpoint)
    assert.deepStrictEqual(rest, exact)
    assert.isAtMost(duplicates, expiredLeases)
    yield* listening(client, 1)
    assert.isAtMost(outages(worker).length, 3)
    assert.deepStrictEqual([worker.child.exitCode, worker.output.stderr], [null, ""])
  })
)

it.live("a worker logs an outage once, stores its results afterwards and receives notifications again", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const gate = makeGate()
    const endpoint = yield* receiver(gate.answer)
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS, 2)
    const worker = yield* startWorker({ DATABASE_URL: url })
    const admin = yield* Effect.flatMap(serverUrl, connection)
    const write = (key: string) => createUntilSuccess(() => server.base, tokens[0], key)

    for (const outage of [1, 2]) {
      gate.close()
      yield* write(`before-${outage}`)
      yield* gate.holds(LISTENERS)
      yield* closeDatabase(admin, url)
      // The responses arrive while the database is down.
      gate.open()
      yield* waitUntil(
        Effect.sync(() => outages(worker)),
        (lines) => lines.length === outage
      )
      // Long enough for each part of the worker to notice the outage and retry.
      yield* Effect.sleep("3 seconds")
      yield* openDatabase(admin, url)
      // The same worker stores the results: no lease has expired at the end.
      yield* deliveriesFinished(client)
      yield* listening(client, 1)
      assert.lengthOf(outages(worker), outage)
    }

    // Sequential writes: a worker that only polls four times a second would delay each by nearly 250 ms. Compares the
    // fastest quarter, as other load slows some of them.
    const delays = yield* Effect.forEach(
      Array.from({ length: 21 }, (_, n) => n),
      (n) =>
        Effect.gen(function* () {
          const before = endpoint.received.length
          yield* write(`after-${n}`)
          const writtenAt = performance.now()
          yield* waitForRequests(endpoint, before + LISTENERS)
          return (endpoint.received[before]?.at ?? Infinity) - writtenAt
        })
    )
    assert.isBelow(delays.toSorted((a, b) => a - b)[5] ?? Infinity, 125)
    assert.deepStrictEqual(yield* auditReceiver(client, endpoint), {
      ...exact,
      due: 23 * LISTENERS,
      duplicates: 0,
      expiredLeases: 0
    })
    assert.deepStrictEqual([worker.child.exitCode, worker.output.stderr], [null, ""])
  })
)
