import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { snapshot, withStatementTimeout } from "../../../src/layers/sql/Transaction.ts"
import { UnitOfWork } from "../../../src/layers/sql/UnitOfWork.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { connection, databaseUrl, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"

class Refused extends Data.TaggedError("Refused") {}

const decode = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const namesOf = (rows: ReadonlyArray<unknown>) => decode(rows).map(({ name }) => name)

/** An empty table. `name` is checked for uniqueness at once, `late` at commit. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists notes`
  yield* sql`create table notes (name text primary key, late text unique deferrable initially deferred)`
  const client = yield* Effect.flatMap(databaseUrl, connection)
  const log: Array<string> = []
  return {
    sql,
    unitOfWork: yield* UnitOfWork,
    client,
    log,
    insert: (name: string) => sql`insert into notes values (${name})`,
    insertLate: (name: string) => sql`insert into notes (name, late) values (${name}, 'same')`,
    /** Names that the running transaction sees. */
    seen: Effect.map(sql`select name from notes order by name`, namesOf),
    /** Names that other sessions see. */
    committed: Effect.map(rowsOf(client, "select name from notes order by name"), namesOf),
    note: (text: string) => sql.afterCommit(Effect.sync(() => void log.push(text)))
  }
})

layer(Layer.provideMerge(UnitOfWork.layer, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Nested transactions",
  (it) => {
    it.effect("a failed nested transaction rolls back alone, and the outer one continues", () =>
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

    it.effect("a failed nested transaction drops the deferred statements and callbacks of its writes", () =>
      Effect.gen(function* () {
        const { committed, insert, log, note, sql, unitOfWork } = yield* notes
        const write = (name: string) => unitOfWork.run(Effect.andThen(note(name), unitOfWork.add(insert(name))))
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

    it.effect("a failed nested write leaves no rows, deferred statements or callbacks", () =>
      Effect.gen(function* () {
        const { committed, insert, log, note, seen, sql, unitOfWork } = yield* notes
        const failures: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          Effect.fail(new Refused()),
          insert("outer"),
          unitOfWork.add(insert("outer")),
          Effect.die("broken")
        ]
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* insert("outer")
            for (const failure of failures) {
              const write = Effect.gen(function* () {
                yield* insert("inner")
                yield* unitOfWork.add(insert("deferred"))
                yield* note("inner")
                yield* failure
              })
              assert.isTrue(Exit.isFailure(yield* Effect.exit(unitOfWork.run(write))))
              assert.deepStrictEqual(yield* seen, ["outer"])
            }
          })
        )
        assert.deepStrictEqual(yield* committed, ["outer"])
        assert.deepStrictEqual(log, [])
      })
    )

    it.effect("an outer transaction with a failed statement cannot commit and rolls back its nested writes", () =>
      Effect.gen(function* () {
        const { committed, insert, log, note, sql, unitOfWork } = yield* notes
        const body = Effect.gen(function* () {
          yield* unitOfWork.run(Effect.andThen(note("inner"), unitOfWork.add(insert("inner"))))
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
  }
)

layer(Layer.provideMerge(UnitOfWork.layer, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Transactions",
  (it) => {
    it.effect("an interruption waits for the transaction to commit", () =>
      Effect.gen(function* () {
        const { client, committed, insert, sql } = yield* notes
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        yield* rowsOf(client, "begin")
        yield* rowsOf(client, "insert into notes values ('same')")
        const write = sql.withTransaction(Effect.andThen(insert("same"), insert("after")))
        const fiber = yield* Effect.forkChild(write)
        yield* waitForLockWaits(watcher, 1)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* rowsOf(client, "rollback")
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual(yield* committed, ["after", "same"])
      })
    )

    it.effect("a snapshot reads the state as of its first statement, rejects writes and is interruptible", () =>
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
        yield* waitForLockWaits(watcher, 1)
        yield* Fiber.interrupt(fiber)
        yield* rowsOf(client, "rollback")
      })
    )

    it.effect("withStatementTimeout returns None for a statement over its limit", () =>
      Effect.gen(function* () {
        const { sql } = yield* notes
        const within = (seconds: number) =>
          withStatementTimeout(
            sql,
            100,
            sql<{ readonly done: boolean }>`select pg_sleep(${seconds}) is not null as done`
          )
        assert.strictEqual((yield* sql.withTransaction(within(0)))._tag, "Some")
        const late = sql.withTransaction(Effect.flatMap(within(5), (rows) => Effect.fail(rows)))
        assert.deepInclude(yield* Effect.flip(late), { _tag: "None" })
      })
    )
  }
)

layer(Layer.provideMerge(UnitOfWork.layer, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Callbacks after the commit",
  (it) => {
    it.effect(
      "a callback runs after the rows are visible to other sessions, once the outer transaction has committed",
      () =>
        Effect.gen(function* () {
          const { client, insert, sql, unitOfWork } = yield* notes
          const seen: Array<Promise<unknown>> = []
          const recordNames = Effect.sync(() => void seen.push(client.query("select name from notes order by name")))
          const write = (name: string) =>
            unitOfWork.run(Effect.andThen(sql.afterCommit(recordNames), unitOfWork.add(insert(name))))
          const last = Effect.promise(async () => seen.at(-1))
          yield* write("alone")
          assert.deepInclude(yield* last, { rows: [{ name: "alone" }] })
          assert.strictEqual(yield* sql.withTransaction(Effect.map(write("joined"), () => seen.length)), 1)
          assert.deepInclude(yield* last, { rows: [{ name: "alone" }, { name: "joined" }] })
        })
    )

    it.effect("a callback waits for a blocked commit", () =>
      Effect.gen(function* () {
        const { client, committed, insert, log, note, unitOfWork } = yield* notes
        const watcher = yield* Effect.flatMap(databaseUrl, connection)
        yield* rowsOf(client, "begin")
        yield* rowsOf(client, "insert into notes values ('same')")
        const write = unitOfWork.run(Effect.andThen(note("done"), unitOfWork.add(insert("same"))))
        const fiber = yield* Effect.forkChild(write)
        yield* waitForLockWaits(watcher, 1)
        assert.deepStrictEqual(log, [])
        yield* rowsOf(client, "rollback")
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(log, ["done"])
        assert.deepStrictEqual(yield* committed, ["same"])
      })
    )

    it.effect("a callback does not run if the commit fails", () =>
      Effect.gen(function* () {
        const { committed, insert, insertLate, log, note, sql, unitOfWork } = yield* notes
        yield* insertLate("first")
        const late = unitOfWork.run(Effect.andThen(note("late"), insertLate("second")))
        const deferred = unitOfWork.run(Effect.andThen(note("deferred"), unitOfWork.add(insert("first"))))
        for (const write of [late, deferred, sql.withTransaction(late)]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(write)))
        }
        assert.deepStrictEqual(log, [])
        assert.deepStrictEqual(yield* committed, ["first"])
      })
    )
  }
)

layer(Layer.provideMerge(UnitOfWork.layer, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Dry runs",
  (it) => {
    it.effect("a dry run returns the result of a write and stores nothing, alone or in a transaction", () =>
      Effect.gen(function* () {
        const { committed, insert, log, note, seen, sql, unitOfWork } = yield* notes
        const write = Effect.gen(function* () {
          yield* sql.withTransaction(insert("inner"))
          yield* unitOfWork.add(insert("deferred"))
          yield* note("written")
          return yield* seen
        })
        assert.deepStrictEqual(yield* unitOfWork.run(write, "dryRun"), ["inner"])
        assert.instanceOf(yield* Effect.flip(unitOfWork.run(Effect.andThen(write, new Refused()), "dryRun")), Refused)
        assert.deepStrictEqual(yield* committed, [])
        const outer = Effect.gen(function* () {
          yield* insert("outer")
          const result = yield* unitOfWork.run(write, "dryRun")
          return { result, after: yield* seen }
        })
        assert.deepStrictEqual(yield* sql.withTransaction(outer), { result: ["inner", "outer"], after: ["outer"] })
        assert.deepStrictEqual(yield* committed, ["outer"])
        assert.deepStrictEqual(log, [])
      })
    )

    it.effect("a dry run fails if a deferred statement fails", () =>
      Effect.gen(function* () {
        const { committed, insert, unitOfWork } = yield* notes
        yield* insert("there")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(unitOfWork.run(unitOfWork.add(insert("there")), "dryRun"))))
        assert.deepStrictEqual(yield* committed, ["there"])
      })
    )

    it.effect("tryOut drops the statements of a part of a write, and the write continues", () =>
      Effect.gen(function* () {
        const { committed, insert, seen, unitOfWork } = yield* notes
        const part = Effect.gen(function* () {
          yield* insert("tried")
          yield* unitOfWork.add(insert("dropped"))
          return yield* seen
        })
        const write = Effect.gen(function* () {
          assert.deepStrictEqual(yield* unitOfWork.tryOut(part), ["tried"])
          yield* unitOfWork.add(insert("stays"))
        })
        yield* unitOfWork.run(write)
        assert.deepStrictEqual(yield* committed, ["stays"])
      })
    )
  }
)
