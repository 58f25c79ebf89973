import { assert, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Predicate, Redacted } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { orDefect } from "../../../src/layers/sql/Errors.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { rowCount, snapshot } from "../../../src/layers/sql/Transaction.ts"
import { UnitOfWork } from "../../../src/layers/sql/UnitOfWork.ts"
import {
  connection,
  databaseUrl,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  serverUrl,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"

/** A pool with a single connection, so that the statement after a failure uses the same pool slot. */
const live = (url: string) =>
  Layer.provideMerge(Layer.fresh(UnitOfWork.layer), postgres({ url: Redacted.make(url), maxConnections: 1 }))

const Live = Layer.unwrap(
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    yield* rowsOf(client, "create table rows (id integer primary key)")
    yield* rowsOf(client, "insert into rows values (1), (2)")
    return live(url)
  })
)

/** Returns the defect with which an effect fails. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined))

/** Returns the SQLSTATE of a defect and whether it is `Unavailable`. */
const classify = (defect: unknown) => {
  const isUnavailable = defect instanceof Unavailable
  const error = isUnavailable ? defect.cause : defect
  const cause = SqlError.isSqlError(error) ? error.reason.cause : undefined
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return { isUnavailable, code: typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined }
}

type AnyStatement = Statement.Statement<unknown>

/** Statements of the tests. Errors are defects, like those of services. */
const statements = Effect.map(Effect.all([SqlClient.SqlClient, UnitOfWork]), ([sql, unitOfWork]) => ({
  sql,
  unitOfWork,
  count: (given: AnyStatement) => orDefect(rowCount(given)),
  transaction: <A>(effect: Effect.Effect<A, SqlError.SqlError>) => orDefect(sql.withTransaction(effect)),
  perform: (write: Effect.Effect<unknown, SqlError.SqlError>) => orDefect(unitOfWork.run(write)),
  raise: (code: string) => sql.unsafe(`do $$ begin raise sqlstate '${code}'; end $$`),
  one: sql`select 1`,
  sleep: sql`select pg_sleep(60)`,
  insertName: (name: string) => sql`insert into stored_names values (${name})`,
  insertNameOf: (value: unknown) =>
    sql`insert into stored_names select value ->> 'name' from (select ${value}::jsonb as value) as given`,
  touch: (id: number) => sql`update rows set id = id where id = ${id}`
}))

/** All functions through which a statement reaches the database. */
const executionPaths = Effect.map(statements, ({ count, perform, sql, transaction, unitOfWork }) => {
  const all: Record<string, (given: AnyStatement) => Effect.Effect<unknown>> = {
    count,
    rows: orDefect,
    transaction,
    nested: (input) => transaction(sql.withTransaction(input)),
    snapshot: (input) => orDefect(snapshot(sql, input)),
    tryOut: (input) => orDefect(unitOfWork.tryOut(input)),
    performed: perform,
    added: (input) => perform(unitOfWork.add(input))
  }
  return all
})

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Failed statements", (it) => {
  it.effect(
    "a failed statement dies with Unavailable for an outage and with its SQL error otherwise, on every execution path",
    () =>
      Effect.gen(function* () {
        const { count, one, raise, sql } = yield* statements
        for (const [way, run] of Object.entries(yield* executionPaths)) {
          if (way !== "deferred") {
            assert.deepStrictEqual(
              classify(yield* defectOf(run(raise("53100")))),
              { isUnavailable: true, code: "53100" },
              way
            )
          }
          const wrong = classify(yield* defectOf(run(sql`selec 1`)))
          assert.deepStrictEqual(wrong, { isUnavailable: false, code: "42601" }, way)
          assert.strictEqual(yield* count(one), 1, way)
        }
      })
  )

  it.effect("the SQLSTATE decides whether an error is Unavailable", () =>
    Effect.gen(function* () {
      const { count, raise } = yield* statements
      const unavailable = [
        ..."08000 08001 08003 08004 08006 08007 08P01 28000 28P01 3D000 53000 53100 53200 53300 53400".split(" "),
        ..."55000 55P03 57014 57P01 57P02 57P03 57P04 57P05 40001 40P01 25006 25P03 25P04".split(" ")
      ]
      const others = "22012 22P02 23502 23503 23505 23514 25001 25P02 40002 42601 42703 42P01 55006 0A000 P0001 XX000"
      for (const code of unavailable) {
        assert.deepStrictEqual(classify(yield* defectOf(count(raise(code)))), { isUnavailable: true, code })
      }
      for (const code of others.split(" ")) {
        assert.deepStrictEqual(classify(yield* defectOf(count(raise(code)))), { isUnavailable: false, code })
      }
    })
  )

  it.effect("a value that the driver cannot serialize is not an outage, and the connection stays usable", () =>
    Effect.gen(function* () {
      const { count, insertName, insertNameOf, one, perform, sql, transaction, unitOfWork } = yield* statements
      yield* count(sql`create table stored_names (name text)`)
      const circular: { self?: unknown } = {}
      circular.self = circular
      const unsendable = sql`select ${circular}::jsonb`
      for (const run of [
        count(unsendable),
        transaction(unsendable),
        perform(unsendable),
        transaction(Effect.andThen(insertName("before"), unsendable)),
        perform(
          Effect.gen(function* () {
            yield* insertName("before")
            yield* unsendable
            yield* insertName("after")
          })
        ),
        perform(
          Effect.gen(function* () {
            yield* insertName("before")
            yield* unitOfWork.add(insertNameOf(circular), insertName("after"))
          })
        )
      ]) {
        assert.deepStrictEqual(classify(yield* defectOf(run)), { isUnavailable: false, code: undefined })
        assert.strictEqual(yield* count(one), 1)
      }
      assert.deepStrictEqual(yield* sql`select name from stored_names`, [])
    })
  )

  it.effect("timeouts, deadlocks, serialization failures and read-only mode are Unavailable", () =>
    Effect.gen(function* () {
      const { count, one, sleep, sql, touch, transaction } = yield* statements
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      const after = (setting: string, given: AnyStatement) => transaction(Effect.andThen(sql.unsafe(setting), given))
      const expect = Effect.fn(function* (code: string, run: Effect.Effect<unknown>) {
        assert.deepStrictEqual(classify(yield* defectOf(run)), { isUnavailable: true, code })
        assert.strictEqual(yield* count(one), 1)
      })
      yield* expect("57014", after("set local statement_timeout = '20ms'", sleep))
      yield* expect("25006", after("set transaction read only", touch(1)))

      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "update rows set id = id where id = 1")
      yield* expect("55P03", after("set local lock_timeout = '20ms'", touch(1)))

      const serializable = after("set transaction isolation level serializable", touch(1))
      const late = yield* Effect.forkChild(expect("40001", serializable))
      yield* waitForLockWaits(watcher, 1)
      yield* rowsOf(holder, "commit")
      yield* Fiber.join(late)

      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "set local deadlock_timeout = '1h'")
      yield* rowsOf(holder, "set local application_name = 'partner-api'")
      yield* rowsOf(holder, "update rows set id = id where id = 2")
      const crossed = Effect.gen(function* () {
        yield* sql`set local deadlock_timeout = '10ms'`
        yield* touch(1)
        const crossing = yield* Effect.forkChild(rowsOf(holder, "update rows set id = id where id = 1"))
        yield* waitForLockWaits(watcher, 1)
        yield* Effect.ensuring(touch(2), Effect.asVoid(Effect.forkChild(Fiber.join(crossing))))
      })
      yield* expect("40P01", transaction(crossed))
      yield* rowsOf(holder, "rollback")
    })
  )

  it.effect("a statement whose session is terminated is Unavailable", () =>
    Effect.gen(function* () {
      const end = "pg_terminate_backend(pg_backend_pid())"
      const url = yield* databaseUrl
      for (const way of Object.keys(yield* executionPaths)) {
        const text = way === "deferred" ? `delete from rows where ${end}` : `select ${end}`
        const run = Effect.gen(function* () {
          const { sql } = yield* statements
          return yield* (yield* executionPaths)[way]?.(sql.unsafe(text)) ?? Effect.void
        })
        const defect = yield* Effect.provide(defectOf(run), live(url))
        assert.isTrue(classify(defect).isUnavailable, way)
      }
    })
  )

  it.effect("an idle-in-transaction timeout is Unavailable, and the next statement succeeds", () =>
    Effect.gen(function* () {
      const { count, one, sql, transaction } = yield* statements
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const idle = Effect.gen(function* () {
        const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
        yield* sql`set local idle_in_transaction_session_timeout = '10ms'`
        const session = rowsOf(watcher, "select 1 from pg_stat_activity where pid = $1", [row?.pid])
        yield* waitUntil(session, (rows) => rows.length === 0)
        yield* one
      })
      assert.isTrue(classify(yield* defectOf(transaction(idle))).isUnavailable)
      assert.strictEqual(yield* count(one), 1)
    })
  )

  it.effect("a broken connection is Unavailable on every execution path, and the next statement gets a new one", () =>
    Effect.gen(function* () {
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { freeze, thaw, url } = yield* wayTo(yield* databaseUrl)
      const sleeping = (what: string) =>
        rowsOf(
          watcher,
          `select ${what} from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
        )
      const broken = Effect.gen(function* () {
        const { count, one, sleep, sql } = yield* statements
        for (const [way, run] of Object.entries(yield* executionPaths)) {
          const input = way === "added" ? sql`delete from rows where pg_sleep(60) is null` : sleep
          const fiber = yield* Effect.forkChild(defectOf(run(input)))
          yield* waitUntil(sleeping("pid"), (rows) => rows.length > 0)
          freeze()
          thaw()
          assert.deepStrictEqual(classify(yield* Fiber.join(fiber)), { isUnavailable: true, code: undefined }, way)
          assert.strictEqual(yield* count(one), 1, way)
          yield* waitUntil(sleeping("pg_cancel_backend(pid)"), (rows) => rows.length === 0)
        }
      })
      yield* Effect.provide(broken, live(url))
    })
  )
})

it.live("a failed connection is Unavailable on every execution path: closed port, unknown database, unknown role", () =>
  Effect.gen(function* () {
    const server = yield* serverUrl
    const closedPort = new URL(server)
    closedPort.host = `127.0.0.1:${yield* freePort}`
    const unknownDatabase = new URL(server)
    unknownDatabase.pathname = "/there_is_no_such_database"
    const unknownRole = new URL(server)
    unknownRole.username = "there_is_no_such_role"
    for (const { href } of [closedPort, unknownDatabase, unknownRole]) {
      yield* Effect.gen(function* () {
        const { one } = yield* statements
        for (const [way, run] of Object.entries(yield* executionPaths)) {
          assert.instanceOf(yield* defectOf(run(one)), Unavailable, way)
        }
      }).pipe(Effect.provide(live(href)))
    }
  })
)
