import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Idempotency, LARGE_RESPONSE, MAX_LARGE_RESPONSES } from "../../src/domain/Idempotency.ts"
import type { Installation } from "../../src/domain/access/Installations.ts"
import {
  appContext,
  expire,
  installed,
  keyed,
  KeyedTest,
  nameOf,
  once,
  encode,
  recordsOf,
  renameStore,
  execute
} from "../support/data/KeyedWrites.ts"
import type { UnitOfWork } from "../../src/layers/sql/UnitOfWork.ts"
import { connection, databaseUrl, rowsOf } from "../support/process/Process.ts"
import { AGENT, contextOf, MERCHANT } from "../support/data/Writes.ts"

class Refused extends Data.TaggedError("Refused") {}

const large = (letter: string) => letter.repeat(LARGE_RESPONSE)

const largeResponsesOf = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select key, bytes from large_responses where actor_id = ${id} order by key`
  )

layer(KeyedTest, { excludeTestServices: true, timeout: "60 seconds" })("Idempotency keys", (it) => {
  it.effect("a record expires after 24 hours by the clock of the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const installation = yield* installed
      yield* once(installation, "one", renameStore(installation, "First"))
      const [row] = yield* sql<{ readonly seconds: number }>`
        select extract(epoch from expires_at - clock_timestamp())::float8 as seconds
        from idempotency_records where actor_id = ${installation.id}
      `
      assert.approximately(row?.seconds ?? 0, 24 * 3600, 60)
      assert.isAtMost(row?.seconds ?? 0, 24 * 3600)
    })
  )

  it.effect("a key with an expired record performs the write again, also for another request body", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      yield* once(installation, "one", renameStore(installation, "First"))
      yield* expire(installation)
      const second = yield* once(installation, "one", renameStore(installation, "Second"))
      assert.deepInclude(second, { text: '{"data":"Second"}', replayed: false })
      const replay = yield* once(installation, "one", renameStore(installation, "Third"))
      assert.deepInclude(replay, { text: '{"data":"Second"}', replayed: true })
      yield* expire(installation)
      const other = yield* once(installation, "one", renameStore(installation, "Fourth"), "another body")
      assert.deepInclude(other, { text: '{"data":"Fourth"}', replayed: false })
      assert.strictEqual(yield* nameOf(installation), "Fourth")
      assert.lengthOf(yield* recordsOf(installation), 1)
    })
  )

  it.effect("a failed write stores nothing, and the next request with the key is performed", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const before = yield* nameOf(installation)
      const failedWrite = (rest: Parameters<typeof renameStore<Refused>>[2]) =>
        Effect.exit(once(installation, "one", renameStore(installation, "Half", rest)))
      assert.deepStrictEqual(yield* failedWrite(() => Effect.fail(new Refused())), Exit.fail(new Refused()))
      const broken = new Error("broken")
      const breaks = Effect.gen(function* () {
        yield* execute((sql) => sql`select 1`)
        throw broken
      })
      assert.deepStrictEqual(yield* failedWrite(() => breaks), Exit.die(broken))
      assert.strictEqual(yield* nameOf(installation), before)
      assert.lengthOf(yield* recordsOf(installation), 0)
      assert.deepInclude(yield* once(installation, "one", renameStore(installation, "Whole")), { replayed: false })
      assert.strictEqual(yield* nameOf(installation), "Whole")
    })
  )

  it.effect("a write that fails returns its own error if the record is expired or has another key", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const failingWrite = (key: string) =>
        Effect.flip(
          once(
            installation,
            key,
            renameStore(installation, "Half", () => Effect.fail(new Refused()))
          )
        )
      yield* once(installation, "one", renameStore(installation, "First"))
      assert.instanceOf(yield* failingWrite("two"), Refused)
      yield* expire(installation)
      assert.instanceOf(yield* failingWrite("one"), Refused)
      assert.strictEqual(yield* nameOf(installation), "First")
    })
  )

  it.effect("a record stores the outcome", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      yield* once(installation, "one", renameStore(installation, "First"))
      assert.deepStrictEqual(yield* recordsOf(installation), [{ key: "one", outcome: '{"data":"First"}' }])
    })
  )

  it.effect("each actor of a store has its own keys", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const { once } = yield* Idempotency
      const withSql = Effect.provide(yield* Effect.context<SqlClient.SqlClient | UnitOfWork>())
      for (const context of [
        appContext(installation),
        contextOf(installation.storeId, MERCHANT),
        contextOf(installation.storeId, AGENT)
      ]) {
        const name = context.actor._tag
        const write = () => once(context, keyed("one", name), withSql(renameStore(installation, name)), encode)
        assert.deepInclude(yield* write(), { text: `{"data":"${name}"}`, replayed: false })
        assert.deepInclude(yield* write(), { text: `{"data":"${name}"}`, replayed: true })
      }
    })
  )

  it.effect("a request inside a transaction dies and stores nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const installation = yield* installed
      const before = yield* nameOf(installation)
      const dyingRequest = Effect.exit(once(installation, "one", renameStore(installation, "First")))
      const exit = yield* sql.withTransaction(dyingRequest)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(yield* nameOf(installation), before)
      assert.lengthOf(yield* recordsOf(installation), 0)
    })
  )

  it.effect("a dry run returns the response and stores neither the write nor its record", () =>
    Effect.gen(function* () {
      const { once } = yield* Idempotency
      const withSql = Effect.provide(yield* Effect.context<SqlClient.SqlClient | UnitOfWork>())
      const installation = yield* installed
      const before = yield* nameOf(installation)
      const context = { ...appContext(installation), mode: "dryRun" } as const
      const { replayed, text } = yield* once(
        context,
        keyed("one"),
        withSql(renameStore(installation, large("x"))),
        encode
      )
      assert.deepStrictEqual([text.length, replayed], [encode(large("x")).length, false])
      assert.strictEqual(yield* nameOf(installation), before)
      assert.lengthOf(yield* recordsOf(installation), 0)
      assert.lengthOf(yield* largeResponsesOf(installation), 0)
    })
  )

  it.effect("stored large responses count towards the limit, and responses of rolled-back writes do not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const installation = yield* installed
      /** Shortens the result, so that a failed assertion does not print long bodies. */
      const request = (key: string, letter: string, body?: string) =>
        Effect.match(once(installation, key, renameStore(installation, large(letter)), body), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: ({ replayed, text }) => `${text.slice(0, 10)} ${text.length}${replayed ? " replayed" : ""}`
        })
      const bytes = LARGE_RESPONSE + '{"data":""}'.length
      const counted = [{ key: "one", bytes }]
      assert.strictEqual(yield* request("one", "x"), `{"data":"x ${bytes}`)
      assert.strictEqual(yield* request("one", "yy"), `{"data":"x ${bytes} replayed`)
      assert.strictEqual(yield* request("one", "yy", "another body"), "KeyReused")
      assert.deepStrictEqual(yield* largeResponsesOf(installation), counted)

      // At the limit, stored responses are still replayed and new large responses store nothing.
      yield* sql`update large_responses set bytes = ${MAX_LARGE_RESPONSES} where actor_id = ${installation.id}`
      assert.strictEqual(yield* request("one", "yy"), `{"data":"x ${bytes} replayed`)
      assert.strictEqual(yield* request("two", "yy"), "StoredResponsesFull")
      assert.lengthOf(yield* largeResponsesOf(installation), 1)
      assert.strictEqual((yield* nameOf(installation))?.slice(0, 1), "x")
    })
  )

  it.effect("purge deletes expired records in batches of 1,000 and skips live and locked ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Idempotency
      yield* sql`delete from idempotency_records`
      yield* sql`delete from large_responses`
      const installation = yield* installed
      const insert = (n: number, ends: string) => sql`
        insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
        select ${installation.storeId}, ${installation.id}, ${randomUUID()} || n, '', '{}', now() + ${ends}::interval
        from generate_series(1, ${n}::integer) as n
      `
      yield* insert(2500, "-1 second")
      yield* insert(3, "1 hour")
      const other = yield* installed
      yield* once(other, "held", renameStore(other, "First"))
      yield* expire(other)
      const holder = yield* Effect.flatMap(databaseUrl, connection)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "select 1 from idempotency_records where actor_id = $1 for update", [other.id])

      const purged = [yield* purge, yield* purge, yield* purge, yield* purge]
      assert.deepStrictEqual(purged, [1000, 1000, 500, 0])
      assert.lengthOf(yield* recordsOf(installation), 3)
      yield* rowsOf(holder, "rollback")
      assert.strictEqual(yield* purge, 1)
      assert.lengthOf(yield* recordsOf(other), 0)
    })
  )
})
