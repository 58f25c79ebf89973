import { assert, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Journal } from "../../../src/domain/journal/Journal.ts"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { IsolatedApiTest, freshClient } from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  duringWork,
  rowsOf,
  servicesOn,
  waitForLockWaits
} from "../../support/process/Process.ts"

/** Inserts an entry into a partition, with a time this many days ago. */
const insertEntry = Effect.fn(function* (part: number, days: number) {
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

/** Returns the partitions that have entries. */
const nonEmptyParts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly part: number }>`select distinct part from journal order by 1`
  return rows.map(({ part }) => part)
})

const clear = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate journal`)

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Journal partitions", (it) => {
  it.effect("ids map to 16 partitions of thirty days each, in rotation, for any clock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* clear
      const { client, storeId } = yield* freshClient()
      const day = 86_400_000_000
      const start = Math.floor(Date.now() / 2_592_000_000) * 30 + 60
      // Ids of a store continue from its stored clock, which is far ahead here.
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

  it.effect("purge empties a partition only if its newest entry is older than 400 days", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      for (const days of [429, 401]) yield* insertEntry(3, days)
      for (const days of [420, 399]) yield* insertEntry(4, days)
      // An entry of a clock that was ahead delays the purge of its partition.
      for (const days of [420, -1000]) yield* insertEntry(5, days)
      yield* insertEntry(6, 0)
      assert.strictEqual(yield* purge, 1)
      assert.deepStrictEqual(yield* nonEmptyParts, [4, 5, 6])
      assert.strictEqual(yield* purge, 0)
      assert.deepStrictEqual(yield* nonEmptyParts, [4, 5, 6])
    })
  )

  it.effect("concurrent purges of several processes empty a partition once", () =>
    Effect.gen(function* () {
      yield* clear
      yield* insertEntry(7, 500)
      const url = yield* databaseUrl
      const others = yield* Effect.replicateEffect(Layer.build(servicesOn(url)), 4)
      const emptied = yield* Effect.forEach(others, (other) => Context.get(other, Journal).purge, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(emptied.toSorted(), [0, 0, 0, 1])
      assert.deepStrictEqual(yield* nonEmptyParts, [])
    })
  )

  it.effect("purge keeps a partition that receives an entry while the purge waits for its lock", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      yield* insertEntry(8, 500)
      const url = yield* databaseUrl
      const [writer, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(writer, "begin")
      yield* rowsOf(
        writer,
        `insert into journal select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'at', now()))).*
         from journal j`
      )
      const purging = yield* Effect.forkChild(purge)
      yield* duringWork(purging, waitForLockWaits(watcher, 1))
      yield* rowsOf(writer, "commit")
      assert.strictEqual(yield* Fiber.join(purging), 0)
      assert.deepStrictEqual(yield* nonEmptyParts, [8])
    })
  )

  it.effect("a purge during a dump fails with Unavailable without blocking writes, and succeeds after the dump", () =>
    Effect.gen(function* () {
      const { purge } = yield* Journal
      yield* clear
      yield* insertEntry(9, 500)
      const { client } = yield* freshClient()
      const url = yield* databaseUrl
      const [dump, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(dump, "begin")
      yield* rowsOf(dump, "lock table journal in access share mode")
      const purging = yield* Effect.forkChild(Effect.exit(purge))
      yield* duringWork(purging, waitForLockWaits(watcher, 1))
      yield* duringWork(purging, client.post("/products", { name: "Cup" }))
      const ended = yield* Fiber.join(purging)
      assert(Exit.isFailure(ended))
      assert.instanceOf(Result.getOrUndefined(Cause.findDefect(ended.cause)), Unavailable)
      assert.include(yield* nonEmptyParts, 9)

      yield* rowsOf(dump, "commit")
      assert.strictEqual(yield* purge, 1)
      assert.notInclude(yield* nonEmptyParts, 9)
    })
  )
})
