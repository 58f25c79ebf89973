import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { type Answer, assertUnavailable, errorOf, makeClient } from "../../support/http/Api.ts"
import {
  connection,
  duringWork,
  createTokens,
  lockStore,
  makeMigratedDatabase,
  rowsOf,
  serverUrl,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"
import { closeDatabase, endSessions, openDatabase } from "../../support/process/Workers.ts"

/** Concurrent, as these tests mostly wait. */
const concurrently = { concurrent: true }

it.live(
  "when all connections are cut under load, clients get 503, and retries succeed without duplicates",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { storeId, tokens } = yield* createTokens(url, 8)
      const clients = tokens.map((token) => makeClient(server.base, token))
      const answered = yield* Ref.make(0)
      const unavailable = yield* Ref.make(0)

      /** Creates one product for each key. Retries until it succeeds. */
      const create = (worker: number, n: number): Effect.Effect<Answer> =>
        Effect.gen(function* () {
          const api = clients[worker] ?? assert.fail("no such client")
          const answer = yield* api.post("/products", { name: `Cup ${worker} ${n}` }, { key: `key-${n}` })
          yield* Ref.update(answered, (before) => before + 1)
          if (answer.status === 201) return answer
          assertUnavailable(answer)
          yield* Ref.update(unavailable, (before) => before + 1)
          return yield* create(worker, n)
        })
      const work = yield* Effect.forkChild(
        Effect.forEach(
          clients,
          (_, worker) =>
            Effect.forEach(
              Array.from({ length: 40 }, (__, n) => n),
              (n) => create(worker, n)
            ),
          { concurrency: "unbounded" }
        )
      )
      const cutter = yield* connection(url)
      for (const moment of [20, 80, 140, 200, 260]) {
        yield* duringWork(
          work,
          waitUntil(Ref.get(answered), (n) => n >= moment)
        )
        yield* endSessions(cutter, url)
      }
      yield* Fiber.join(work)

      assert.isAbove(yield* Ref.get(unavailable), 0)
      const counts = yield* rowsOf(
        client,
        `select (select count(*)::int from products) as products, (select count(*)::int from events) as events,
         (select count(*)::int from idempotency_records where outcome like '201 %') as records,
         (select product_count from stores where id = $1) as counted`,
        [storeId]
      )
      assert.deepStrictEqual(counts, [{ products: 320, events: 320, records: 320, counted: 320 }])
      assert.isNull(server.child.exitCode)
      assert.strictEqual(server.output.stderr, "")
    }),
  concurrently
)

it.live(
  "requests get 503 while the database is down, and succeed after it returns",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      const admin = yield* Effect.flatMap(serverUrl, connection)
      const ready = api.get(`${server.base}/readyz`)
      assert.strictEqual((yield* api.post("/products", { name: "Cup" }, { key: "before" })).status, 201)

      yield* closeDatabase(admin, url)
      const unready = yield* waitUntil(ready, ({ status }) => status === 503)
      assert.deepStrictEqual(errorOf(unready), {
        error: "The process starts or stops, or no database is reachable, writable and migrated"
      })
      assertUnavailable(yield* api.get("/products"))
      assertUnavailable(yield* api.get("/collections"))
      assertUnavailable(yield* api.post("/products", { name: "Mug" }, { key: "during" }))
      assert.strictEqual((yield* api.get(`${server.base}/healthz`)).status, 200)
      for (let time = 0; time < 50; time++) assertUnavailable(yield* api.get("/products"))
      const errors = server.output.stdout.split("\n").filter((line) => !/ (?:GET|POST) \//.test(line))
      assert.isBelow(errors.length, 20, errors.join("\n"))
      assert.notMatch(errors.join("\n"), /^\s+at /m)

      yield* openDatabase(admin, url)
      assert.strictEqual((yield* ready).status, 200)
      const created = yield* api.post("/products", { name: "Mug" }, { key: "during" })
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("idempotent-replayed"))
      assert.strictEqual(server.output.stderr, "")
    }),
  concurrently
)

it.live(
  "with a read-only database, requests and readiness get 503 until it accepts writes",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      const admin = yield* Effect.flatMap(serverUrl, connection)
      const name = new URL(url).pathname.slice(1)
      const ready = api.get(`${server.base}/readyz`)
      const write = api.post("/products", { name: "Cup" }, { key: "cup" })

      yield* rowsOf(admin, `alter database ${name} set default_transaction_read_only = on`)
      yield* endSessions(admin, url)
      const unready = yield* waitUntil(ready, () => server.output.stdout.includes("The database can only be read"))
      assert.strictEqual(unready.status, 503)
      assert.deepStrictEqual(errorOf(unready), {
        error: "The process starts or stops, or no database is reachable, writable and migrated"
      })
      assertUnavailable(yield* write)
      assertUnavailable(yield* api.get("/products"))

      yield* rowsOf(admin, `alter database ${name} reset default_transaction_read_only`)
      yield* endSessions(admin, url)
      // The server may use an ended session once before it sees that the session has ended.
      yield* waitUntil(ready, ({ status }) => status === 200)
      assert.strictEqual((yield* write).status, 201)
      assert.strictEqual(server.output.stderr, "")
    }),
  concurrently
)

it.live(
  "a server is ready while another session locks the migrations table",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "lock table effect_sql_migrations in access exclusive mode")
      assert.strictEqual((yield* makeClient(server.base).get(`${server.base}/readyz`)).status, 200)
    }),
  concurrently
)

it.live(
  "a write that waits too long for a lock gets 503, changes nothing and can be retried",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { storeId, tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      const { release } = yield* lockStore(url, storeId)
      const write = api.post("/products", { name: "Cup" }, { key: "one" })
      assertUnavailable(yield* write)
      assert.deepStrictEqual(yield* rowsOf(client, "select 1 from idempotency_records"), [])
      yield* release
      const repeated = yield* write
      assert.strictEqual(repeated.status, 201)
      assert.isNull(repeated.headers.get("idempotent-replayed"))
    }),
  concurrently
)
