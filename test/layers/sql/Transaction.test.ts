import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  deferToCommit,
  performWrite,
  snapshot,
  tryOut,
  withStatementTimeout
} from "../../../src/layers/sql/Transaction.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { connection, databaseUrl, rowsOf, waiting } from "../../support/process/Process.ts"

class Refused extends Data.TaggedError("Refused") {}

const decode = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const namesOf = (rows: ReadonlyArray<unknown>) => decode(rows).map(({ name }) => name)

/** An empty table. `name` is unique at once, `late` when the transaction commits. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists notes`
  yield* sql`create table notes (name text primary key, late text unique deferrable initially deferred)`
  const client = yield* Effect.flatMap(databaseUrl, connection)
  const log: Array<string> = []
  return {
    sql,
    client,
    log,
    insert: (name: string) => sql`insert into notes values (${name})`,
    insertLate: (name: string) => sql`insert into notes (name, late) values (${name}, 'same')`,
    /** Names as the running transaction sees them. */
    seen: Effect.map(sql`select name from notes order by name`, namesOf),
    /** Names as others see them. */
    committed: Effect.map(rowsOf(client, "select name from notes order by name"), namesOf),
    note: (text: string) => sql.afterCommit(Effect.sync(() => void log.push(text)))
  }
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A nested transaction", (it) => {
  it.effect("that fails leaves nothing, and the outer one continues", () =>
    Effect.gen(function* () {
      const { committed, insert, seen, sql } = yield* notes
      const failures: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Effect.fail(new Refused()),
        Effect.die("broken"),
        insert("outer"),
        sql`select 1 / 0`
      ]
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert("outer")
          for (const failure of failures) {
            const nested = sql.withTransaction(Effect.andThen(insert("inner"), failure))
            assert.isTrue(Exit.isFailure(yield* Effect.exit(nested)))
            assert.deepStrictEqual(yield* seen, ["outer"])
          }
          yield* sql.withTransaction(insert("second"))
          yield* insert("third")
        })
      )
      assert.deepStrictEqual(yield* committed, ["outer", "second", "third"])
    })
  )

  it.effect("that fails rolls back the writes inside, with their deferred statements and callbacks", () =>
    Effect.gen(function* () {
      const { committed, insert, log, note, sql } = yield* notes
      const write = (name: string) => performWrite(sql, Effect.andThen(note(name), deferToCommit(insert(name))))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* write("outer")
          const nested = sql.withTransaction(Effect.andThen(write("inner"), new Refused()))
          assert.instanceOf(yield* Effect.flip(nested), Refused)
          yield* insert("last")
        })
      )
      assert.deepStrictEqual(yield* committed, ["last", "outer"])
      assert.deepStrictEqual(log, ["outer"])
    })
  )

  it.effect("of a write that fails leaves neither rows nor deferred statements nor callbacks", () =>
    Effect.gen(function* () {
      const { committed, insert, log, note, seen, sql } = yield* notes
      const failures: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Effect.fail(new Refused()),
        insert("outer"),
        deferToCommit(insert("outer")),
        Effect.die("broken")
      ]
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert("outer")
          for (const failure of failures) {
            const write = Effect.gen(function* () {
              yield* insert("inner")
              yield* deferToCommit(insert("deferred"))
              yield* note("inner")
              yield* failure
            })
            assert.isTrue(Exit.isFailure(yield* Effect.exit(performWrite(sql, write))))
            assert.deepStrictEqual(yield* seen, ["outer"])
          }
        })
      )
      assert.deepStrictEqual(yield* committed, ["outer"])
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("is lost with the outer one, which cannot commit after a failed statement of its own", () =>
    Effect.gen(function* () {
      const { committed, insert, log, note, sql } = yield* notes
      const body = Effect.gen(function* () {
        yield* performWrite(sql, Effect.andThen(note("inner"), deferToCommit(insert("inner"))))
        yield* Effect.exit(insert("inner"))
        return "done"
      })
      const exit = yield* Effect.exit(sql.withTransaction(body))
      const { message } = Exit.isFailure(exit) ? (Cause.prettyErrors(exit.cause)[0] ?? {}) : {}
      assert.include(message, "COMMIT rolled back an aborted transaction")
      assert.deepStrictEqual(yield* committed, [])
      assert.deepStrictEqual(log, [])
    })
  )
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A transaction", (it) => {
  it.effect("is not interrupted once it has begun", () =>
    Effect.gen(function* () {
      const { client, committed, insert, sql } = yield* notes
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "insert into notes values ('same')")
      const write = sql.withTransaction(Effect.andThen(insert("same"), insert("after")))
      const fiber = yield* Effect.forkChild(write)
      yield* waiting(watcher, 1)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* rowsOf(client, "rollback")
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(yield* committed, ["after", "same"])
    })
  )

  it.effect("of a snapshot sees the database as of its first statement, cannot write, and can be interrupted", () =>
    Effect.gen(function* () {
      const { client, insert, seen, sql } = yield* notes
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const read = Effect.gen(function* () {
        const before = yield* seen
        yield* rowsOf(client, "insert into notes values ('new')")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(insert("written")))))
        return [before, yield* seen]
      })
      assert.deepStrictEqual(yield* snapshot(sql, read), [[], []])
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "lock table notes")
      const fiber = yield* Effect.forkChild(snapshot(sql, seen))
      yield* waiting(watcher, 1)
      yield* Fiber.interrupt(fiber)
      yield* rowsOf(client, "rollback")
    })
  )

  it.effect("returns none for a statement over its time limit", () =>
    Effect.gen(function* () {
      const { sql } = yield* notes
      const within = (seconds: number) =>
        withStatementTimeout(sql, 100, sql<{ readonly done: boolean }>`select pg_sleep(${seconds}) is not null as done`)
      assert.strictEqual((yield* sql.withTransaction(within(0)))._tag, "Some")
      const late = sql.withTransaction(Effect.flatMap(within(5), (rows) => Effect.fail(rows)))
      assert.deepInclude(yield* Effect.flip(late), { _tag: "None" })
    })
  )
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A callback after the commit", (it) => {
  it.effect("runs once others see what was committed", () =>
    Effect.gen(function* () {
      const { client, insert, sql } = yield* notes
      const seen: Array<Promise<unknown>> = []
      const look = Effect.sync(() => void seen.push(client.query("select name from notes order by name")))
      const write = (name: string) =>
        performWrite(sql, Effect.andThen(sql.afterCommit(look), deferToCommit(insert(name))))
      const last = Effect.promise(async () => seen.at(-1))
      yield* write("alone")
      assert.deepInclude(yield* last, { rows: [{ name: "alone" }] })
      assert.strictEqual(yield* sql.withTransaction(Effect.map(write("joined"), () => seen.length)), 1)
      assert.deepInclude(yield* last, { rows: [{ name: "alone" }, { name: "joined" }] })
    })
  )

  it.effect("waits as long as the commit does", () =>
    Effect.gen(function* () {
      const { client, committed, insert, log, note, sql } = yield* notes
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "insert into notes values ('same')")
      const write = performWrite(sql, Effect.andThen(note("done"), deferToCommit(insert("same"))))
      const fiber = yield* Effect.forkChild(write)
      yield* waiting(watcher, 1)
      assert.deepStrictEqual(log, [])
      yield* rowsOf(client, "rollback")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(log, ["done"])
      assert.deepStrictEqual(yield* committed, ["same"])
    })
  )

  it.effect("does not run when the commit fails, whatever the reason", () =>
    Effect.gen(function* () {
      const { committed, insert, insertLate, log, note, sql } = yield* notes
      yield* insertLate("first")
      const late = performWrite(sql, Effect.andThen(note("late"), insertLate("second")))
      const deferred = performWrite(sql, Effect.andThen(note("deferred"), deferToCommit(insert("first"))))
      for (const write of [late, deferred, sql.withTransaction(late)]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(write)))
      }
      assert.deepStrictEqual(log, [])
      assert.deepStrictEqual(yield* committed, ["first"])
    })
  )
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A dry run", (it) => {
  it.effect("returns the result of a write and stores nothing, alone and in a transaction", () =>
    Effect.gen(function* () {
      const { committed, insert, log, note, seen, sql } = yield* notes
      const write = Effect.gen(function* () {
        yield* sql.withTransaction(insert("inner"))
        yield* deferToCommit(insert("deferred"))
        yield* note("written")
        return yield* seen
      })
      assert.deepStrictEqual(yield* performWrite(sql, write, "dryRun"), ["inner"])
      assert.instanceOf(yield* Effect.flip(performWrite(sql, Effect.andThen(write, new Refused()), "dryRun")), Refused)
      assert.deepStrictEqual(yield* committed, [])
      const outer = Effect.gen(function* () {
        yield* insert("outer")
        const result = yield* performWrite(sql, write, "dryRun")
        return { result, after: yield* seen }
      })
      assert.deepStrictEqual(yield* sql.withTransaction(outer), { result: ["inner", "outer"], after: ["outer"] })
      assert.deepStrictEqual(yield* committed, ["outer"])
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("runs the deferred statements, so that it fails as the write would", () =>
    Effect.gen(function* () {
      const { committed, insert, sql } = yield* notes
      yield* insert("there")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(performWrite(sql, deferToCommit(insert("there")), "dryRun"))))
      assert.deepStrictEqual(yield* committed, ["there"])
    })
  )

  it.effect("of a part of a write drops its deferred statements, and the write continues", () =>
    Effect.gen(function* () {
      const { committed, insert, seen, sql } = yield* notes
      const part = Effect.gen(function* () {
        yield* insert("tried")
        yield* deferToCommit(insert("dropped"))
        return yield* seen
      })
      const write = Effect.gen(function* () {
        assert.deepStrictEqual(yield* tryOut(sql, part), ["tried"])
        yield* deferToCommit(insert("stays"))
      })
      yield* performWrite(sql, write)
      assert.deepStrictEqual(yield* committed, ["stays"])
    })
  )
})
