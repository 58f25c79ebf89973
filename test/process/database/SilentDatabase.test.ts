import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertUnavailable, makeClient } from "../../support/http/Api.ts"
import { enroll, ownDatabase, rowsOf, runNode, startServer } from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"
import {
  assertCleanEnd,
  audience,
  books,
  insist,
  makeGate,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"

/** They wait for what the database does not say, up to 35 seconds. */
const atOnce = { timeout: 120_000, concurrent: true }

const LISTENERS = 3

it.live(
  "a database that does not respond fails the start",
  () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const way = yield* wayTo(url)
      way.freeze()
      const { code, stderr } = yield* runNode("main", [], { DATABASE_URL: way.url, PORT: "0" })
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^partner-api: DATABASE_URL: 127\.0\.0\.1:\d+: [^\n]*\. The host does not respond: [^\n]*\n$/
      )
    }),
  atOnce
)

it.live(
  "a database that stops responding causes 503 within a minute, and is used again when it responds",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const way = yield* wayTo(url)
      const server = yield* startServer({ DATABASE_URL: way.url })
      const { tokens } = yield* enroll(url)
      const api = makeClient(server.base, tokens[0])
      const write = api.post("/products", { name: "Cup" }, { key: "cup" })
      assert.strictEqual((yield* api.get("/products")).status, 200)

      way.freeze()
      const answers = yield* Effect.all([write, api.get("/products"), api.get("/collections")], {
        concurrency: "unbounded"
      }).pipe(Effect.timeout("60 seconds"))
      for (const answer of answers) assertUnavailable(answer)

      way.thaw()
      assert.strictEqual((yield* write).status, 201)
      assert.deepStrictEqual(yield* rowsOf(client, "select count(*)::int as n from products"), [{ n: 1 }])
      assert.strictEqual(server.said.stderr, "")
    }),
  atOnce
)

it.live(
  "SIGTERM while the database does not respond ends a worker after the timeout, and its leases expire",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const way = yield* wayTo(url)
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const writer = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
      const { tokens } = yield* audience(url, endpoint, LISTENERS)
      const stopped = yield* startWorker({ DATABASE_URL: way.url })
      gate.close()
      yield* insist(() => writer.base, tokens[0], "under-way")
      yield* gate.holds(LISTENERS)
      way.freeze()
      gate.open()
      stopped.kill("SIGTERM")
      assertCleanEnd(yield* Effect.timeout(stopped.ended, "75 seconds"))
      yield* startWorker({ DATABASE_URL: url })
      assert.deepStrictEqual(yield* books(client, endpoint), {
        due: LISTENERS,
        lost: [],
        strange: [],
        unexplained: [],
        unwritten: [],
        doubled: LISTENERS,
        lapsed: LISTENERS
      })
    }),
  atOnce
)
