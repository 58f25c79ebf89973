import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { countOf, deferToCommit, afterCommit } from "../../../src/layers/sql/Plan.ts"
import { Database } from "../../../src/layers/sql/Postgres.ts"
import { sql } from "../../../src/layers/sql/Statement.ts"
import { PostgresTest } from "../../support/PostgresTest.ts"
import { connection, databaseUrl, rowsOf, waiting } from "../../support/Process.ts"

class Refused extends Data.TaggedError("Refused") {}

const Note = Schema.Struct({ name: Schema.String })
const decode = Schema.decodeUnknownSync(Schema.Array(Note))
const namesOf = (rows: ReadonlyArray<unknown>) => decode(rows).map(({ name }) => name)

const insertLate = (name: string) => sql`insert into notes (name, late) values (${name}, 'same')`
const insert = (name: string) => sql`insert into notes values (${name})`
const selectAll = sql`select name from notes order by name`

/** An empty table, whose names are unique, of some at once and of others when the transaction commits. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const database = yield* Database
  yield* sql`drop table if exists notes`
  yield* sql`create table notes (name text primary key, late text unique deferrable initially deferred)`
  const client = yield* Effect.flatMap(databaseUrl, connection)
  return {
    ...database,
    client,
    add: (name: string) => database.count(insert(name)),
    /** The names as they are where it is asked. */
    seen: Effect.map(database.rows(Note)(selectAll), namesOf),
    /** The names as they are for others. */
    committed: Effect.map(rowsOf(client, "select name from notes order by name"), namesOf)
  }
})

/** Says what was done, and after what. */
const makeLog = () => {
  const log: Array<string> = []
  return { log, note: (text: string) => afterCommit(() => void log.push(text)) }
}

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A joined transaction", (it) => {
  it.effect("that fails leaves nothing of itself, and the one around it goes on", () =>
    Effect.gen(function* () {
      const { add, committed, seen, transaction } = yield* notes
      const failures = [
        Effect.fail(new Refused()),
        Effect.die("broken"),
        // What the database refuses: after it a transaction takes nothing more.
        add("outer"),
        Effect.flatMap(Database, ({ count }) => count(sql`select 1 / 0`))
      ]
      yield* transaction(
        Effect.gen(function* () {
          yield* add("outer")
          for (const failure of failures) {
            const joined = transaction(Effect.andThen(add("inner"), failure))
            assert.isTrue(Exit.isFailure(yield* Effect.exit(joined)))
            assert.deepStrictEqual(yield* seen, ["outer"])
          }
          yield* transaction(add("second"))
          yield* add("third")
        })
      )
      assert.deepStrictEqual(yield* committed, ["outer", "second", "third"])
    })
  )

  it.effect("that fails leaves nothing of those that joined it and were done", () =>
    Effect.gen(function* () {
      const { add, committed, perform, transaction } = yield* notes
      const { log, note } = makeLog()
      const described = (name: string) =>
        perform(
          Effect.gen(function* () {
            yield* note(name)
            yield* deferToCommit(insert(name))
          })
        )
      yield* transaction(
        Effect.gen(function* () {
          yield* described("outer")
          const joined = transaction(Effect.andThen(described("inner"), new Refused()))
          assert.instanceOf(yield* Effect.flip(joined), Refused)
          yield* add("last")
        })
      )
      assert.deepStrictEqual(yield* committed, ["last", "outer"])
      assert.deepStrictEqual(log, ["outer"])
    })
  )

  it.effect(
    "of a described write that fails leaves neither rows, nor what it left to the commit, nor what follows it",
    () =>
      Effect.gen(function* () {
        const { add, committed, perform, seen, transaction } = yield* notes
        const { log, note } = makeLog()
        const failing = [
          Effect.fail(new Refused()),
          Effect.gen(function* () {
            yield* countOf(insert("outer"))
          }),
          deferToCommit(insert("outer")),
          Effect.gen(function* () {
            yield* countOf(sql`select 1`)
            throw new Error("broken")
          })
        ]
        yield* transaction(
          Effect.gen(function* () {
            yield* add("outer")
            for (const fail of failing) {
              const write = perform(
                Effect.gen(function* () {
                  yield* countOf(insert("inner"))
                  yield* deferToCommit(insert("left"))
                  yield* note("inner")
                  yield* fail
                })
              )
              assert.isTrue(Exit.isFailure(yield* Effect.exit(write)))
              assert.deepStrictEqual(yield* seen, ["outer"])
            }
          })
        )
        assert.deepStrictEqual(yield* committed, ["outer"])
        assert.deepStrictEqual(log, [])
      })
  )

  it.effect("goes with the one around it, which cannot go on after a statement of its own has failed", () =>
    Effect.gen(function* () {
      const { add, committed, perform, transaction } = yield* notes
      const { log, note } = makeLog()
      const body = Effect.gen(function* () {
        yield* perform(
          Effect.gen(function* () {
            yield* note("inner")
            yield* deferToCommit(insert("inner"))
          })
        )
        yield* Effect.exit(add("inner"))
        return "done"
      })
      const exit = yield* Effect.exit(transaction(body))
      const { message } = Exit.isFailure(exit) ? (Cause.prettyErrors(exit.cause)[0] ?? {}) : {}
      assert.include(message, "COMMIT rolled back an aborted transaction")
      assert.deepStrictEqual(yield* committed, [])
      assert.deepStrictEqual(log, [])
    })
  )
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("What follows a commit", (it) => {
  it.effect("is done once others see what was committed", () =>
    Effect.gen(function* () {
      const { client, perform, transaction } = yield* notes
      const seen: Array<Promise<unknown>> = []
      const write = (name: string) =>
        perform(
          Effect.gen(function* () {
            yield* afterCommit(() => void seen.push(client.query("select name from notes order by name")))
            yield* deferToCommit(insert(name))
          })
        )
      const last = Effect.promise(async () => seen.at(-1))
      yield* write("alone")
      assert.deepInclude(yield* last, { rows: [{ name: "alone" }] })
      assert.strictEqual(yield* transaction(Effect.map(write("joined"), () => seen.length)), 1)
      assert.deepInclude(yield* last, { rows: [{ name: "alone" }, { name: "joined" }] })
    })
  )

  it.effect("waits as long as the commit does", () =>
    Effect.gen(function* () {
      const { client, committed, perform } = yield* notes
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { log, note } = makeLog()
      yield* rowsOf(client, "begin")
      yield* rowsOf(client, "insert into notes values ('same')")
      const write = perform(
        Effect.gen(function* () {
          yield* note("done")
          yield* deferToCommit(insert("same"))
        })
      )
      const fiber = yield* Effect.forkChild(write)
      yield* waiting(watcher, 1)
      assert.deepStrictEqual(log, [])
      yield* rowsOf(client, "rollback")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(log, ["done"])
      assert.deepStrictEqual(yield* committed, ["same"])
    })
  )

  it.effect("is not done where the commit fails, whatever it fails by", () =>
    Effect.gen(function* () {
      const { committed, count, perform, transaction } = yield* notes
      const { log, note } = makeLog()
      yield* count(insertLate("first"))
      const late = () =>
        perform(
          Effect.gen(function* () {
            yield* note("late")
            yield* countOf(insertLate("second"))
          })
        )
      const left = () =>
        perform(
          Effect.gen(function* () {
            yield* note("left")
            yield* deferToCommit(insert("first"))
          })
        )
      for (const write of [late, left, () => transaction(late())]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(write())))
      }
      assert.deepStrictEqual(log, [])
      assert.deepStrictEqual(yield* committed, ["first"])
    })
  )
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("A rehearsal", (it) => {
  it.effect("answers what its body does, and leaves nothing, by itself or in a transaction", () =>
    Effect.gen(function* () {
      const { add, committed, rehearse, seen, transaction } = yield* notes
      const body = Effect.andThen(transaction(add("rehearsed")), seen)
      assert.deepStrictEqual(yield* rehearse(body), ["rehearsed"])
      assert.instanceOf(yield* Effect.flip(rehearse(Effect.andThen(body, new Refused()))), Refused)
      assert.deepStrictEqual(yield* committed, [])

      const around = Effect.gen(function* () {
        yield* add("around")
        const answer = yield* rehearse(body)
        return { answer, after: yield* seen }
      })
      assert.deepStrictEqual(yield* transaction(around), { answer: ["around", "rehearsed"], after: ["around"] })
      assert.deepStrictEqual(yield* committed, ["around"])
    })
  )

  it.effect("of a described write, or of what holds one, does nothing that follows a commit", () =>
    Effect.gen(function* () {
      const { committed, perform, rehearse, transaction } = yield* notes
      const { log, note } = makeLog()
      const write = Effect.gen(function* () {
        const added = yield* countOf(insert("asked"))
        yield* deferToCommit(insert("left"))
        yield* note("written")
        return added
      })
      for (const rehearsed of [perform(write, false), rehearse(perform(write)), transaction(perform(write, false))]) {
        assert.strictEqual(yield* rehearsed, 1)
      }
      assert.deepStrictEqual(yield* committed, [])
      assert.deepStrictEqual(log, [])
    })
  )
})
