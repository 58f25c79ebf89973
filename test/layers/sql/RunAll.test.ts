import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { runAll, countOf, deferToCommit } from "../../../src/layers/sql/Plan.ts"
import { Database } from "../../../src/layers/sql/Postgres.ts"
import { sql } from "../../../src/layers/sql/Statement.ts"
import { isDuplicate } from "../../../src/layers/sql/Errors.ts"
import { PostgresTest } from "../../support/PostgresTest.ts"

class Refused extends Data.TaggedError("Refused") {}

const insert = (name: string) => sql`insert into notes values (${name})`
const selectAll = sql`select name from notes order by name`

/** An empty table, whose names are unique. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const database = yield* Database
  yield* sql`drop table if exists notes`
  yield* sql`create table notes (name text primary key)`
  const rowsOf = database.rows(Schema.Struct({ name: Schema.String }))
  return {
    ...database,
    add: (name: string) => database.count(insert(name)),
    committed: Effect.map(rowsOf(selectAll), (rows) => rows.map(({ name }) => name))
  }
})

const defectIn = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? Result.getOrUndefined(Cause.findDefect(exit.cause)) : undefined

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("What a write sends ahead", (it) => {
  it.effect("is done before what it asks and leaves, in the order in which it was sent", () =>
    Effect.gen(function* () {
      const { committed, perform } = yield* notes
      const found = yield* perform(
        Effect.gen(function* () {
          yield* runAll(insert("first"), insert("second"))
          yield* runAll(insert("third"))
          yield* deferToCommit(insert("fourth"))
          return yield* countOf(selectAll)
        })
      )
      assert.strictEqual(found, 3)
      assert.deepStrictEqual(yield* committed, ["first", "fourth", "second", "third"])
    })
  )

  it.effect("fails the write by its own failure, whatever comes after it, and nothing stays", () =>
    Effect.gen(function* () {
      const { add, committed, perform, transaction } = yield* notes
      yield* add("there")
      const alone = () =>
        perform(
          Effect.gen(function* () {
            yield* runAll(insert("made"), insert("there"))
          })
        )
      const withRest = () =>
        perform(
          Effect.gen(function* () {
            yield* runAll(insert("there"))
            yield* deferToCommit(insert("left"))
          })
        )
      const withQuestion = () =>
        perform(
          Effect.gen(function* () {
            yield* runAll(insert("there"))
            return yield* countOf(selectAll)
          })
        )
      for (const write of [alone, withRest, withQuestion, () => transaction(alone())]) {
        const exit = yield* Effect.exit(write())
        assert.isTrue(isDuplicate(defectIn(exit), "notes"))
      }
      assert.deepStrictEqual(yield* committed, ["there"])
    })
  )

  it.effect("is taken back where the write is refused", () =>
    Effect.gen(function* () {
      const { committed, perform } = yield* notes
      const refused = perform(
        Effect.gen(function* () {
          yield* runAll(insert("sent"))
          yield* new Refused()
        })
      )
      assert.instanceOf(yield* Effect.flip(refused), Refused)
      assert.deepStrictEqual(yield* committed, [])
    })
  )
})
