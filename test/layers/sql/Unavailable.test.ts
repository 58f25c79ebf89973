import { assert, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Predicate, Redacted, Schema } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { countOf, deferToCommit } from "../../../src/layers/sql/Plan.ts"
import { Database, postgres } from "../../../src/layers/sql/Postgres.ts"
import { sql, type Statement } from "../../../src/layers/sql/Statement.ts"
import {
  connection,
  databaseUrl,
  freePort,
  ownDatabase,
  rowsOf,
  serverUrl,
  waiting,
  watch
} from "../../support/Process.ts"
import { wayTo } from "../../support/SilentDatabase.ts"

/** One connection: what a failure does to it, the next statement finds. */
const live = (url: string) => postgres({ url: Redacted.make(url), maxConnections: 1 })

const Live = Layer.unwrap(
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    yield* rowsOf(client, "create table rows (id integer primary key)")
    yield* rowsOf(client, "insert into rows values (1), (2)")
    return live(url)
  })
)

/** What an effect dies with. */
const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined))

/** The SQLSTATE of a defect, and whether it says that the database is out of reach. */
const told = (defect: unknown) => {
  const isUnavailable = defect instanceof Unavailable
  const error = isUnavailable ? defect.cause : defect
  const cause = SqlError.isSqlError(error) ? error.reason.cause : undefined
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return { isUnavailable, code: typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined }
}

const raise = (code: string) => sql.unsafe(`do $$ begin raise sqlstate '${code}'; end $$`)

const one = sql`select 1`
const sleep = sql`select pg_sleep(60)`
const keep = (name: string) => sql`insert into kept values (${name})`
const keepAs = (value: unknown) =>
  sql`insert into kept select value ->> 'name' from (select ${value}::jsonb as value) as given`
const touch = (id: number) => sql`update rows set id = id where id = ${id}`

/** All ways on which a statement gets to the database. */
const ways = Effect.map(Database, ({ count, first, perform, rehearse, rows, transaction }) => {
  const all: Record<string, (given: Statement) => Effect.Effect<unknown>> = {
    count,
    rows: rows(Schema.Unknown),
    first: first(Schema.Unknown),
    transaction: (given) => transaction(count(given)),
    joined: (given) => transaction(transaction(count(given))),
    rehearse: (given) => rehearse(count(given)),
    asked: (given) => perform(countOf(given)),
    left: (given) => perform(deferToCommit(given))
  }
  return all
})

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("A statement that fails", (it) => {
  it.effect(
    "dies with Unavailable where the database is out of reach, on each way to it, and with the error where not",
    () =>
      Effect.gen(function* () {
        const { count } = yield* Database
        for (const [way, run] of Object.entries(yield* ways)) {
          if (way !== "left") {
            assert.deepStrictEqual(
              told(yield* defectOf(run(raise("53100")))),
              { isUnavailable: true, code: "53100" },
              way
            )
          }
          const wrong = told(yield* defectOf(run(sql`selec 1`)))
          assert.deepStrictEqual(wrong, { isUnavailable: false, code: "42601" }, way)
          assert.strictEqual(yield* count(one), 1, way)
        }
      })
  )

  it.effect("is told by its SQLSTATE", () =>
    Effect.gen(function* () {
      const { count } = yield* Database
      const unavailable = [
        ..."08000 08001 08003 08004 08006 08007 08P01 28000 28P01 3D000 53000 53100 53200 53300 53400".split(" "),
        ..."55000 55P03 57014 57P01 57P02 57P03 57P04 57P05 40001 40P01 25006 25P03 25P04".split(" ")
      ]
      const others = "22012 22P02 23502 23503 23505 23514 25001 25P02 40002 42601 42703 42P01 55006 0A000 P0001 XX000"
      for (const code of unavailable) {
        assert.deepStrictEqual(told(yield* defectOf(count(raise(code)))), { isUnavailable: true, code })
      }
      for (const code of others.split(" ")) {
        assert.deepStrictEqual(told(yield* defectOf(count(raise(code)))), { isUnavailable: false, code })
      }
    })
  )

  it.effect("is no outage where the driver cannot send a value, and its connection goes on", () =>
    Effect.gen(function* () {
      const { count, perform, rows, transaction } = yield* Database
      yield* count(sql`create table kept (name text)`)
      const circle: { self?: unknown } = {}
      circle.self = circle
      const unsendable = sql`select ${circle}::jsonb`
      for (const run of [
        count(unsendable),
        transaction(count(unsendable)),
        perform(countOf(unsendable)),
        transaction(Effect.andThen(count(keep("before")), count(unsendable))),
        perform(
          Effect.gen(function* () {
            yield* countOf(keep("before"))
            yield* countOf(unsendable)
            yield* countOf(keep("after"))
          })
        ),
        perform(
          Effect.gen(function* () {
            yield* countOf(keep("before"))
            yield* deferToCommit(keepAs(circle), keep("after"))
          })
        )
      ]) {
        assert.deepStrictEqual(told(yield* defectOf(run)), { isUnavailable: false, code: undefined })
        assert.strictEqual(yield* count(one), 1)
      }
      assert.deepStrictEqual(yield* rows(Schema.Unknown)(sql`select name from kept`), [])
    })
  )

  it.effect("because the database gave up a wait, or can only be read, is an outage", () =>
    Effect.gen(function* () {
      const { count, transaction } = yield* Database
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      const after = (setting: string, given: Statement) =>
        transaction(Effect.andThen(count(sql.unsafe(setting)), count(given)))
      const expect = Effect.fn(function* (code: string, run: Effect.Effect<unknown>) {
        assert.deepStrictEqual(told(yield* defectOf(run)), { isUnavailable: true, code })
        assert.strictEqual(yield* count(one), 1)
      })
      yield* expect("57014", after("set local statement_timeout = '20ms'", sleep))
      yield* expect("25006", after("set transaction read only", touch(1)))

      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "update rows set id = id where id = 1")
      yield* expect("55P03", after("set local lock_timeout = '20ms'", touch(1)))

      const serializable = after("set transaction isolation level serializable", touch(1))
      const late = yield* Effect.forkChild(expect("40001", serializable))
      yield* waiting(watcher, 1)
      yield* rowsOf(holder, "commit")
      yield* Fiber.join(late)

      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "set local deadlock_timeout = '1h'")
      yield* rowsOf(holder, "set local application_name = 'partner-api'")
      yield* rowsOf(holder, "update rows set id = id where id = 2")
      const crossed = Effect.gen(function* () {
        yield* count(sql`set local deadlock_timeout = '10ms'`)
        yield* count(touch(1))
        const crossing = yield* Effect.forkChild(rowsOf(holder, "update rows set id = id where id = 1"))
        yield* waiting(watcher, 1)
        yield* Effect.ensuring(count(touch(2)), Effect.asVoid(Effect.forkChild(Fiber.join(crossing))))
      })
      yield* expect("40P01", transaction(crossed))
      yield* rowsOf(holder, "rollback")
    })
  )

  it.effect("because its session was ended is an outage", () =>
    Effect.gen(function* () {
      const end = "pg_terminate_backend(pg_backend_pid())"
      const url = yield* databaseUrl
      for (const way of Object.keys(yield* ways)) {
        const given = sql.unsafe(way === "left" ? `delete from rows where ${end}` : `select ${end}`)
        const run = Effect.flatMap(ways, (all) => all[way]?.(given) ?? Effect.void)
        const defect = yield* Effect.provide(defectOf(run), live(url))
        assert.isTrue(told(defect).isUnavailable, way)
      }
    })
  )

  it.effect("because its session had idled for too long in a transaction is an outage", () =>
    Effect.gen(function* () {
      const { count, one: oneOf, transaction } = yield* Database
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const pidOf = oneOf(Schema.Struct({ pid: Schema.Int }))
      const idle = Effect.gen(function* () {
        const { pid } = yield* pidOf(sql`select pg_backend_pid() as pid`)
        yield* count(sql`set local idle_in_transaction_session_timeout = '10ms'`)
        const session = rowsOf(watcher, "select 1 from pg_stat_activity where pid = $1", [pid])
        yield* watch(session, (rows) => rows.length === 0)
        yield* count(one)
      })
      assert.isTrue(told(yield* defectOf(transaction(idle))).isUnavailable)
      assert.strictEqual(yield* count(one), 1)
    })
  )

  it.effect("because its connection broke is an outage, on each way, and the next one gets another", () =>
    Effect.gen(function* () {
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { freeze, thaw, url } = yield* wayTo(yield* databaseUrl)
      const sleeping = (what: string) =>
        rowsOf(
          watcher,
          `select ${what} from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
        )
      const broken = Effect.gen(function* () {
        const { count } = yield* Database
        for (const [way, run] of Object.entries(yield* ways)) {
          const given = way === "left" ? sql`delete from rows where pg_sleep(60) is null` : sleep
          const fiber = yield* Effect.forkChild(defectOf(run(given)))
          yield* watch(sleeping("pid"), (rows) => rows.length > 0)
          freeze()
          thaw()
          assert.deepStrictEqual(told(yield* Fiber.join(fiber)), { isUnavailable: true, code: undefined }, way)
          assert.strictEqual(yield* count(one), 1, way)
          yield* watch(sleeping("pg_cancel_backend(pid)"), (rows) => rows.length === 0)
        }
      })
      yield* Effect.provide(broken, live(url))
    })
  )
})

it.live("where there is no connection to be had, each way dies with Unavailable, whatever the reason", () =>
  Effect.gen(function* () {
    const server = yield* serverUrl
    const closed = new URL(server)
    closed.host = `127.0.0.1:${yield* freePort}`
    const nowhere = new URL(server)
    nowhere.pathname = "/there_is_no_such_database"
    const stranger = new URL(server)
    stranger.username = "there_is_no_such_role"
    for (const { href } of [closed, nowhere, stranger]) {
      yield* Effect.gen(function* () {
        for (const [way, run] of Object.entries(yield* ways)) {
          assert.instanceOf(yield* defectOf(run(one)), Unavailable, way)
        }
      }).pipe(Effect.provide(live(href)))
    }
  })
)
