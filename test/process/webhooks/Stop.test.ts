import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMigratedDatabase, rowsOf } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import {
  assertCleanEnd,
  makeSubscribers,
  auditReceiver,
  createUntilSuccess,
  listening,
  makeGate,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"

/** Concurrent, as these tests mostly wait. */
const concurrently = { concurrent: true }

const LISTENERS = 3
const exact = { lost: [], unexpected: [], unexplained: [], unrecorded: [], duplicates: 0, expiredLeases: 0 }

const attempts = `
  select attempts, outcome, count(*)::int as deliveries from deliveries group by 1, 2 order by attempts
`

const START = {
  worker: (url: string) => startWorker({ DATABASE_URL: url }, LISTENERS),
  server: (url: string) => startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: String(LISTENERS) })
}

for (const kind of ["worker", "server"] as const) {
  it.live(
    `SIGTERM lets a ${kind} finish and store running deliveries, claims no new ones and exits with 0`,
    () =>
      Effect.gen(function* () {
        const { client, url } = yield* makeMigratedDatabase
        const gate = makeGate()
        const endpoint = yield* receiver(gate.answer)
        const writer = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
        const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS)
        const stopped = yield* START[kind](url)
        yield* listening(client, 1)
        gate.close()
        yield* createUntilSuccess(() => writer.base, tokens[0], "under-way")
        yield* gate.holds(LISTENERS)
        yield* createUntilSuccess(() => writer.base, tokens[0], "waiting")

        stopped.kill("SIGTERM")
        yield* listening(client, 0)
        assert.isNull(stopped.child.exitCode)
        gate.open()
        assertCleanEnd(yield* stopped.ended)
        assert.deepStrictEqual(yield* rowsOf(client, attempts), [
          { attempts: 0, outcome: null, deliveries: LISTENERS },
          { attempts: 1, outcome: "delivered", deliveries: LISTENERS }
        ])

        yield* startWorker({ DATABASE_URL: url })
        assert.deepStrictEqual(yield* auditReceiver(client, endpoint), { ...exact, due: 2 * LISTENERS })
      }),
    concurrently
  )
}
