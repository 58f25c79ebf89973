import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertUnavailable, makeClient } from "../../support/http/Api.ts"
import { createTokens, makeMigratedDatabase, rowsOf, runNode, startServer } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"
import {
  assertCleanEnd,
  makeSubscribers,
  auditReceiver,
  createUntilSuccess,
  makeGate,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"

/** Concurrent, as these tests wait for timeouts of up to 35 seconds. */
const concurrently = { concurrent: true }

const LISTENERS = 3

it.live(
  "a database that does not respond fails the start",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const proxy = yield* wayTo(url)
      proxy.freeze()
      const { code, stderr } = yield* runNode("main", [], { DATABASE_URL: proxy.url, PORT: "0" })
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: [^\n]*\. The host does not respond: [^\n]*\n$/
      )
    }),
  concurrently
)

it.live(
  "requests get 503 within a minute if the database stops responding, and succeed after it responds again",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const proxy = yield* wayTo(url)
      const server = yield* startServer({ DATABASE_URL: proxy.url })
      const { tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      const write = api.post("/products", { name: "Cup" }, { key: "cup" })
      assert.strictEqual((yield* api.get("/products")).status, 200)

      proxy.freeze()
      const answers = yield* Effect.all([write, api.get("/products"), api.get("/collections")], {
        concurrency: "unbounded"
      }).pipe(Effect.timeout("60 seconds"))
      for (const answer of answers) assertUnavailable(answer)

      proxy.thaw()
      assert.strictEqual((yield* write).status, 201)
      assert.deepStrictEqual(yield* rowsOf(client, "select count(*)::int as n from products"), [{ n: 1 }])
      assert.strictEqual(server.output.stderr, "")
    }),
  concurrently
)

it.live(
  "SIGTERM while the database does not respond ends a worker within 75 s, and its leases expire",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const proxy = yield* wayTo(url)
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const writer = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* makeSubscribers(url, endpoint, LISTENERS)
      const stopped = yield* startWorker({ DATABASE_URL: proxy.url })
      gate.close()
      yield* createUntilSuccess(() => writer.base, tokens[0], "under-way")
      yield* gate.holds(LISTENERS)
      proxy.freeze()
      gate.open()
      stopped.kill("SIGTERM")
      assertCleanEnd(yield* Effect.timeout(stopped.ended, "75 seconds"))
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* auditReceiver(client, endpoint), {
        due: LISTENERS,
        lost: [],
        strange: [],
        unexplained: [],
        unwritten: [],
        doubled: LISTENERS,
        lapsed: LISTENERS
      })
    }),
  concurrently
)
