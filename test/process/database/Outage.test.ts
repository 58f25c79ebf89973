import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { type Answer, assertUnavailable, errorOf, makeClient } from "../../support/http/Api.ts"
import {
  connection,
  duringWork,
  enroll,
  holdStore,
  ownDatabase,
  rowsOf,
  serverUrl,
  startServer,
  watch
} from "../../support/process/Process.ts"
import { closeDatabase, cut, openDatabase } from "../../support/process/Workers.ts"

/** They wait more than they work. */
const atOnce = { timeout: 120_000, concurrent: true }

it.live(
  "when all connections are cut under load, clients get 503, their retries succeed and nothing is duplicated",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { storeId, tokens } = yield* enroll(url, 8)
      const clients = tokens.map((token) => makeClient(server.base, token))
      const answered = yield* Ref.make(0)
      const unavailable = yield* Ref.make(0)

      /** One product for each key, asked for until it is there. */
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
          watch(Ref.get(answered), (n) => n >= moment)
        )
        yield* cut(cutter, url)
      }
      yield* Fiber.join(work)

      assert.isAbove(yield* Ref.get(unavailable), 0)
      const counts = yield* rowsOf(
        client,
        `select (select count(*)::int from products) as products, (select count(*)::int from events) as events,
         (select count(*)::int from idempotency_records where status = 201 and body is not null) as records,
         (select product_count from stores where id = $1) as counted`,
        [storeId]
      )
      assert.deepStrictEqual(counts, [{ products: 320, events: 320, records: 320, counted: 320 }])
      assert.isNull(server.child.exitCode)
      assert.strictEqual(server.said.stderr, "")
    }),
  atOnce
)

it.live(
  "while the database is down every surface returns 503, and recovers when it is back",
  () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { tokens } = yield* enroll(url)
      const api = makeClient(server.base, tokens[0])
      const elsewhere = yield* Effect.flatMap(serverUrl, connection)
      const ready = api.get(`${server.base}/readyz`)
      assert.strictEqual((yield* api.post("/products", { name: "Cup" }, { key: "before" })).status, 201)

      yield* closeDatabase(elsewhere, url)
      const unready = yield* ready
      assert.strictEqual(unready.status, 503)
      assert.deepStrictEqual(errorOf(unready), { error: "The database is not reachable, not writable or not migrated" })
      assertUnavailable(yield* api.get("/products"))
      assertUnavailable(yield* api.get("/collections"))
      assertUnavailable(yield* api.post("/products", { name: "Mug" }, { key: "during" }))
      assert.strictEqual((yield* api.get(`${server.base}/healthz`)).status, 200)

      yield* openDatabase(elsewhere, url)
      assert.strictEqual((yield* ready).status, 200)
      const created = yield* api.post("/products", { name: "Mug" }, { key: "during" })
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("idempotent-replayed"))
      assert.strictEqual(server.said.stderr, "")
    }),
  atOnce
)

it.live(
  "a read-only database, as after a failover, is 503 and not ready until it accepts writes",
  () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { tokens } = yield* enroll(url)
      const api = makeClient(server.base, tokens[0])
      const elsewhere = yield* Effect.flatMap(serverUrl, connection)
      const name = new URL(url).pathname.slice(1)
      const ready = api.get(`${server.base}/readyz`)
      const write = api.post("/products", { name: "Cup" }, { key: "cup" })

      yield* rowsOf(elsewhere, `alter database ${name} set default_transaction_read_only = on`)
      yield* cut(elsewhere, url)
      const unready = yield* watch(ready, () => server.said.stdout.includes("The database can only be read"))
      assert.strictEqual(unready.status, 503)
      assert.deepStrictEqual(errorOf(unready), { error: "The database is not reachable, not writable or not migrated" })
      assertUnavailable(yield* write)
      assertUnavailable(yield* api.get("/products"))

      yield* rowsOf(elsewhere, `alter database ${name} reset default_transaction_read_only`)
      yield* cut(elsewhere, url)
      assert.strictEqual((yield* ready).status, 200)
      assert.strictEqual((yield* write).status, 201)
      assert.strictEqual(server.said.stderr, "")
    }),
  atOnce
)

it.live(
  "a server is ready while another process holds the migration lock",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "lock table effect_sql_migrations in access exclusive mode")
      assert.strictEqual((yield* makeClient(server.base).get(`${server.base}/readyz`)).status, 200)
    }),
  atOnce
)

it.live(
  "a write that waits too long for a lock gets 503, changes nothing and can be retried",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* ownDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { storeId, tokens } = yield* enroll(url)
      const api = makeClient(server.base, tokens[0])
      const { release } = yield* holdStore(url, storeId)
      const ask = api.post("/products", { name: "Cup" }, { key: "one" })
      assertUnavailable(yield* ask)
      assert.deepStrictEqual(yield* rowsOf(client, "select 1 from idempotency_records"), [])
      yield* release
      const repeated = yield* ask
      assert.strictEqual(repeated.status, 201)
      assert.isNull(repeated.headers.get("idempotent-replayed"))
    }),
  atOnce
)
