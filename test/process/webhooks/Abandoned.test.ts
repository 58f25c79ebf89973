import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connection, ownDatabase, rowsOf, waiting, watch } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { audience, books, cut, insist, makeGate, startSender, startWorker } from "../../support/process/Workers.ts"

/** They wait more than they work. */
const atOnce = { timeout: 90_000, concurrent: true }

/** For so long a delivery belongs to the worker that took it. */
const LEASE_MILLIS = 20_000

const exact = { lost: [], strange: [], unexplained: [], unwritten: [], doubled: 0, lapsed: 0 }

it.live(
  "a server killed while it stores deliveries has not stored the event either",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const endpoint = yield* receiver()
      const given = { DATABASE_URL: url, WEBHOOK_WORKERS: "0" }
      let server = yield* startSender(given)
      const { tokens } = yield* audience(url, endpoint, 3)
      const notices: Array<unknown> = []
      client.on("notification", (notice) => void notices.push(notice))
      yield* rowsOf(client, "listen deliveries")
      const holder = yield* connection(url)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table deliveries in share mode")
      const writing = yield* Effect.forkChild(insist(() => server.base, tokens[0], "one"))
      yield* waiting(client, 1)
      // Nobody is woken for what is not there yet.
      yield* Effect.sleep("500 millis")
      assert.lengthOf(notices, 0)
      server.kill("SIGKILL")
      yield* server.ended
      // Its sessions too: the database would go on with a statement whose client has gone.
      yield* cut(client, url)
      yield* rowsOf(holder, "rollback")
      assert.deepStrictEqual(yield* rowsOf(client, "select 1 from events"), [])

      server = yield* startSender(given)
      yield* Fiber.join(writing)
      yield* watch(
        Effect.sync(() => notices.length),
        (n) => n > 0
      )
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* books(client, endpoint), { ...exact, due: 3 })
    }),
  atOnce
)

it.live(
  "events that a killed server committed are delivered by another process",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const endpoint = yield* receiver()
      const server = yield* startSender({ DATABASE_URL: url })
      const { tokens } = yield* audience(url, endpoint, 3)
      // Paused, nobody claims: the server is gone before a first request.
      yield* rowsOf(client, "update webhooks set paused_at = now(), pause_reason = 'operator'")
      yield* insist(() => server.base, tokens[0], "one")
      server.kill("SIGKILL")
      yield* server.ended
      yield* rowsOf(client, "update webhooks set paused_at = null, pause_reason = null")
      assert.lengthOf(endpoint.received, 0)
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* books(client, endpoint), { ...exact, due: 3 })
    }),
  atOnce
)

it.live(
  "deliveries in flight when a server is killed are sent again after the lease expires",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const server = yield* startSender({ DATABASE_URL: url })
      const { listeners, tokens } = yield* audience(url, endpoint, 3)
      const [early] = listeners
      gate.close()
      yield* insist(() => server.base, tokens[0], "one")
      yield* gate.holds(3)
      server.kill("SIGKILL")
      yield* server.ended
      gate.open()
      // One of them as if all that had been a minute ago.
      yield* rowsOf(client, "update deliveries set next_at = next_at - interval '1 minute' where app_id = $1", [
        early?.appId
      ])
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* books(client, endpoint), { ...exact, due: 3, doubled: 3, lapsed: 3 })

      const [, , , , ...again] = endpoint.received
      const first = endpoint.received[0]?.at ?? 0
      assert.lengthOf(again, 2)
      for (const { at } of again) assert.isAtLeast(at - first, LEASE_MILLIS - 1000)
      const began = yield* rowsOf(
        client,
        `select app_id = $1 as early, extract(epoch from started_at)::float8 * 1000 as at
       from delivery_attempts join deliveries using (store_id, event_id, installation_id) where attempt = 1`,
        [early?.appId]
      )
      for (const { at, early } of began)
        assert.approximately(Number(at) + (early === true ? 60_000 : 0), performance.timeOrigin + first, 2000)
    }),
  atOnce
)

it.live(
  "a worker frozen for longer than its lease does not overwrite the result of another worker",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* audience(url, endpoint, 1)
      const frozen = yield* startWorker({ DATABASE_URL: url })
      gate.close()
      yield* insist(() => server.base, tokens[0], "one")
      yield* gate.holds(1)
      frozen.kill("SIGSTOP")
      yield* startWorker({ DATABASE_URL: url })
      yield* gate.holds(2)

      const attempts = rowsOf(client, "select attempt, duration_ms, error from delivery_attempts order by attempt")
      assert.deepInclude((yield* attempts)[0], { attempt: 1, duration_ms: null })
      frozen.kill("SIGCONT")
      yield* watch(attempts, ([first]) => first?.["duration_ms"] !== null)
      const held = yield* rowsOf(client, "select lease is not null as held, outcome, attempts from deliveries")
      assert.deepStrictEqual(held, [{ held: true, outcome: null, attempts: 2 }])
      gate.open()
      assert.deepStrictEqual(yield* books(client, endpoint), { ...exact, due: 1, doubled: 1 })
      assert.deepInclude((yield* attempts)[0], { error: "The receiver did not answer within 10 seconds" })
      assert.lengthOf(yield* attempts, 2)
    }),
  atOnce
)
