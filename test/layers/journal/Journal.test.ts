import { assert, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Journal } from "../../../src/domain/journal/Journal.ts"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { ApiTest, freshClient } from "../../support/http/Api.ts"
import { connection, databaseUrl, duringWork, rowsOf, servicesOn, waiting } from "../../support/process/Process.ts"

/** An entry in a part, made so many days ago. */
const enter = Effect.fn(function* (part: number, days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into journal (
      store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, after, omitted
    ) values (
      gen_random_uuid(), gen_random_uuid(), ${part}, now() - ${days} * interval '1 day', 'app', gen_random_uuid(), 'rest',
      0, 'product', gen_random_uuid(), 1, '{}', '{}'
    )
  `
})

/** The parts that hold something. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly part: number }>`select distinct part from journal order by 1`
  return rows.map(({ part }) => part)
})

const clear = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate journal`)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The parts of the journal", (it) => {
  it.effect("take any id, whatever the clock that made it said: one part each thirty days, in turn", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* clear
      const { client, storeId } = yield* freshClient()
      const day = 86_400_000_000
      const start = Math.floor(Date.now() / 2_592_000_000) * 30 + 60
      // The ids of a store go on from the clock that it had, here one that was far ahead.
      for (const days of [start, start + 29, start + 30, start + 15 * 30, start + 16 * 30]) {
        yield* sql`update stores set id_clock = ${days * day} where id = ${storeId}`
        assert.strictEqual((yield* client.post("/products", { name: "Cup" })).status, 201)
      }
      const rows = yield* sql<{ readonly part: number }>`
        select part from journal where store_id = ${storeId} and version is not null order by id
      `
      const [first = 0, ...others] = rows.map(({ part }) => part)
      assert.deepStrictEqual(others, [first, (first + 1) % 16, (first + 15) % 16, first])
    })
  )

  it.effect("are emptied when their newest entry is older than 400 days, and not before", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      for (const days of [429, 401]) yield* enter(3, days)
      for (const days of [420, 399]) yield* enter(4, days)
      // A clock that was ahead keeps what it made for longer, and one that was set back takes nothing away.
      for (const days of [420, -1000]) yield* enter(5, days)
      yield* enter(6, 0)
      assert.strictEqual(yield* purge, 1)
      assert.deepStrictEqual(yield* filled, [4, 5, 6])
      assert.strictEqual(yield* purge, 0)
      assert.deepStrictEqual(yield* filled, [4, 5, 6])
    })
  )

  it.effect("are emptied once by processes that want it at once", () =>
    Effect.gen(function* () {
      yield* clear
      yield* enter(7, 500)
      const url = yield* databaseUrl
      const others = yield* Effect.replicateEffect(Layer.build(servicesOn(url)), 4)
      const emptied = yield* Effect.forEach(others, (other) => Context.get(other, Journal).purge, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(emptied.toSorted(), [0, 0, 0, 1])
      assert.deepStrictEqual(yield* filled, [])
    })
  )

  it.effect("keep what came to them while somebody waited to empty them", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      yield* enter(8, 500)
      const url = yield* databaseUrl
      const [writer, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(writer, "begin")
      yield* rowsOf(
        writer,
        `insert into journal select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'at', now()))).*
         from journal j`
      )
      const purging = yield* Effect.forkChild(purge)
      yield* duringWork(purging, waiting(watcher, 1))
      yield* rowsOf(writer, "commit")
      assert.strictEqual(yield* Fiber.join(purging), 0)
      assert.deepStrictEqual(yield* filled, [8])
    })
  )

  it.effect("that a dump reads are left for next time, and nobody who writes waits meanwhile", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      yield* enter(9, 500)
      const { client } = yield* freshClient()
      const url = yield* databaseUrl
      const [dump, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(dump, "begin")
      yield* rowsOf(dump, "lock table journal in access share mode")
      const purging = yield* Effect.forkChild(Effect.exit(purge))
      yield* duringWork(purging, waiting(watcher, 1))
      yield* duringWork(purging, client.post("/products", { name: "Cup" }))
      const ended = yield* Fiber.join(purging)
      assert(Exit.isFailure(ended))
      assert.instanceOf(Result.getOrUndefined(Cause.findDefect(ended.cause)), Unavailable)
      assert.include(yield* filled, 9)

      yield* rowsOf(dump, "commit")
      assert.strictEqual(yield* purge, 1)
      assert.notInclude(yield* filled, 9)
    })
  )
})
