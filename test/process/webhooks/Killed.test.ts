import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { makeMigratedDatabase, rowsOf } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { waitForRequests } from "../../support/webhooks/Webhooks.ts"
import {
  makeSubscribers,
  auditReceiver,
  endLeases,
  createUntilSuccess,
  makeGate,
  startSender,
  startWorker,
  type Worker
} from "../../support/process/Workers.ts"

/** Workers that are killed and replaced one by one, before all are killed together. */
const KILLS = 3
const WORKERS = 2
const LISTENERS = 6

/** Minimum deliveries between a start and the next kill. */
const ARRIVALS_PER_START = 60

const kill = (worker: Worker | undefined) =>
  Effect.suspend(() => {
    worker?.kill("SIGKILL")
    return worker?.ended ?? Effect.void
  })

it.live("workers and a server that are killed repeatedly lose nothing, and duplicate only deliveries in flight", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const gate = makeGate()
    const endpoint = yield* receiver(gate.answer)
    const environment = { DATABASE_URL: url }
    const serverEnvironment = { DATABASE_URL: url, WEBHOOK_WORKERS: "0" }
    let server = yield* startSender(serverEnvironment)
    const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS, 12)
    const workers: Array<Worker> = yield* Effect.replicateEffect(startWorker(environment), WORKERS)

    let isDone = false
    const writing = yield* Effect.forkChild(
      Effect.forEach(
        tokens.slice(0, 3),
        (token, writer) =>
          Effect.suspend(() => {
            let n = -1
            const next = Effect.suspend(() => {
              n++
              return createUntilSuccess(
                () => server.base,
                tokens[(writer + 3 * n) % tokens.length] ?? token,
                `${writer}-${n}`
              )
            })
            return Effect.repeat(next, { until: () => isDone })
          }),
        { concurrency: "unbounded" }
      )
    )

    for (let n = 0; n < KILLS; n++) {
      yield* waitForRequests(endpoint, endpoint.received.length + ARRIVALS_PER_START)
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
      yield* kill(workers[n % WORKERS])
      workers[n % WORKERS] = yield* startWorker(environment)
      if (n % 3 === 1) {
        server.kill("SIGKILL")
        server = yield* startSender(serverEnvironment)
      }
      yield* rowsOf(client, "update rate_windows set hits = '{}'")
    }
    gate.close()
    yield* gate.holds(LISTENERS)
    yield* Effect.forEach(workers, kill)
    gate.open()
    isDone = true
    yield* Fiber.join(writing)
    yield* endLeases(client)
    yield* startWorker(environment)

    const { duplicates, due, expiredLeases, ...problems } = yield* auditReceiver(client, endpoint)
    assert.deepStrictEqual(problems, { lost: [], unexpected: [], unexplained: [], unrecorded: [] })
    assert.isAtLeast(due, (KILLS * ARRIVALS_PER_START) / 2)
    assert.isAtLeast(expiredLeases, LISTENERS)
    assert.isAtMost(duplicates, expiredLeases)
    const errors = yield* rowsOf(client, "select distinct error from delivery_attempts where duration_ms is null")
    assert.deepStrictEqual(errors, [{ error: "The worker stopped before it recorded the result of this attempt" }])
  })
)
