import { assert, layer } from "@effect/vitest"
import { Data, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { isDuplicate } from "../../../src/layers/sql/Errors.ts"
import { deferToCommit, performWrite, rowCount, sendAll, withoutDeferral } from "../../../src/layers/sql/Transaction.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

class Refused extends Data.TaggedError("Refused") {}

/** An empty table with unique names. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists notes`
  yield* sql`create table notes (name text primary key)`
  const insert = (name: string) => sql`insert into notes values (${name})`
  return {
    sql,
    insert,
    names: Effect.map(sql<{ readonly name: string }>`select name from notes order by name`, (rows) =>
      rows.map(({ name }) => name)
    )
  }
})

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("Statements of a write", (it) => {
  it.effect("statements run in the order of the write, followed by deferred statements", () =>
    Effect.gen(function* () {
      const { insert, names, sql } = yield* notes
      const write = Effect.gen(function* () {
        yield* deferToCommit(insert("deferred"))
        yield* sendAll([insert("first"), insert("second")])
        return yield* rowCount(sql`select from notes`)
      })
      assert.strictEqual(yield* performWrite(sql, write), 2)
      assert.deepStrictEqual(yield* names, ["deferred", "first", "second"])
    })
  )

  it.effect("withoutDeferral runs statements at once, so that later ones see their rows", () =>
    Effect.gen(function* () {
      const { insert, names, sql } = yield* notes
      const write = Effect.gen(function* () {
        yield* withoutDeferral(deferToCommit(insert("first")))
        return yield* names
      })
      assert.deepStrictEqual(yield* performWrite(sql, write), ["first"])
    })
  )

  it.effect("the first failed statement fails the write, which stores nothing", () =>
    Effect.gen(function* () {
      const { insert, names, sql } = yield* notes
      yield* insert("there")
      const failing = [
        sendAll([insert("made"), insert("there")]),
        Effect.andThen(sendAll([insert("there")]), deferToCommit(insert("deferred"))),
        Effect.andThen(sendAll([insert("there")]), rowCount(sql`select from notes`))
      ]
      for (const write of failing) {
        for (const run of [performWrite(sql, write), sql.withTransaction(performWrite(sql, write))]) {
          const defect = yield* Effect.flip(Effect.catchDefect(run, (defect) => Effect.fail(defect)))
          assert.isTrue(isDuplicate(defect, "notes"))
        }
      }
      const deferred = yield* Effect.flip(performWrite(sql, deferToCommit(insert("there"))))
      assert.isTrue(SqlError.isSqlError(deferred) && isDuplicate(deferred, "notes"))
      assert.deepStrictEqual(yield* names, ["there"])
    })
  )

  it.effect("a write that fails with a domain error rolls back its statements", () =>
    Effect.gen(function* () {
      const { insert, names, sql } = yield* notes
      const refused = performWrite(sql, Effect.andThen(sendAll([insert("sent")]), new Refused()))
      assert.instanceOf(yield* Effect.flip(refused), Refused)
      assert.deepStrictEqual(yield* names, [])
    })
  )

  it.effect("deferToCommit fails outside a write", () =>
    Effect.gen(function* () {
      const { insert, names } = yield* notes
      assert.isTrue((yield* Effect.exit(deferToCommit(insert("lost"))))._tag === "Failure")
      assert.deepStrictEqual(yield* names, [])
    })
  )
})
