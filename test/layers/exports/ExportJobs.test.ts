import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { type ExportState, MAX_UNFINISHED } from "../../../src/domain/exports/Export.ts"
import { Exports } from "../../../src/domain/exports/Exports.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { exported, ExportsTest, hold, OneConnectionExportsTest, settled } from "../../support/data/Exports.ts"
import { putCustomers } from "../../support/data/Records.ts"
import { makeStore } from "../../support/http/Api.ts"
import { waitUntil } from "../../support/process/Process.ts"

const customers = (count: number) => Array.from({ length: count }, (_, n) => ({ name: String(n) }))

/** Numbers of jobs and parts of a store. */
const rowsLeft = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const [left] = yield* sql`
    select (select count(*)::integer from jobs where store_id = ${storeId}) as jobs,
      (select count(*)::integer from export_parts where store_id = ${storeId}) as parts
  `
  return left
})

const transactionsEnd = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const open = sql`
    select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
  `
  yield* waitUntil(open, (rows) => rows.length === 0)
})

layer(ExportsTest, { excludeTestServices: true, timeout: "60 seconds" })("jobs of exports", (it) => {
  it.effect("an export is of one moment, and writes meanwhile do not wait for it", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const created = yield* putCustomers(storeId, customers(1201))
      const before = (yield* exported(storeId, "customers")).text
      const { reached, release } = yield* hold(1)
      const fiber = yield* Effect.forkChild(exported(storeId, "customers"))
      yield* reached
      yield* putCustomers(storeId, [{ name: "New" }, { ...created[1200], name: "Changed" }])
      yield* release
      const during = yield* Fiber.join(fiber)
      assert.lengthOf(during.parts, 3)
      assert.strictEqual(during.text, before)
      assert.lengthOf((yield* exported(storeId, "customers")).lines, 1202)
    })
  )

  it.effect("an export that loses its connection in the middle begins anew", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      yield* putCustomers(storeId, customers(1201))
      const { reached, release } = yield* hold(1)
      const created = yield* exports.create(storeId, { kind: "customers" })
      const [pid] = yield* reached
      yield* sql`select pg_terminate_backend(${pid})`
      yield* release
      assert.deepInclude(yield* settled(storeId, created), { state: "finished", exported: 1201 })
      assert.deepStrictEqual(yield* rowsLeft(storeId), { jobs: 0, parts: 3 })
    })
  )

  it.effect("a canceled export stops after its current part and keeps none", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const storeId = yield* makeStore()
      yield* putCustomers(storeId, customers(1201))
      const { awaited, reached, release } = yield* hold(1)
      const created = yield* exports.create(storeId, { kind: "customers" })
      yield* reached
      assert.deepInclude(yield* exports.get(storeId, created.id), { state: "running", exported: 500 })
      const cancellation = yield* Effect.forkChild(exports.cancel(storeId, created.id))
      yield* awaited
      yield* release
      yield* Fiber.join(cancellation)
      assert.deepInclude(yield* settled(storeId, created), { state: "canceled", exported: 1000 })
      assert.deepStrictEqual(yield* rowsLeft(storeId), { jobs: 0, parts: 0 })
      yield* transactionsEnd
      // It does not change an ended export.
      yield* exports.cancel(storeId, created.id)
      assert.strictEqual((yield* exports.get(storeId, created.id)).state, "canceled")
    })
  )

  it.effect("a deleted export stops and leaves nothing", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const storeId = yield* makeStore()
      yield* putCustomers(storeId, customers(1201))
      const { awaited, reached, release } = yield* hold(1)
      const { id } = yield* exports.create(storeId, { kind: "customers" })
      yield* reached
      const deletion = yield* Effect.forkChild(exports.delete(storeId, id))
      yield* awaited
      yield* release
      yield* Fiber.join(deletion)
      assert.strictEqual((yield* Effect.flip(exports.get(storeId, id)))._tag, "ExportNotFound")
      assert.deepStrictEqual(yield* rowsLeft(storeId), { jobs: 0, parts: 0 })
      yield* transactionsEnd
    })
  )

  it.effect(`a store has at most ${MAX_UNFINISHED} unfinished exports, which run one after the other`, () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const [storeId, otherId] = [yield* makeStore(), yield* makeStore()]
      yield* putCustomers(storeId, customers(1))
      const { reached, release } = yield* hold(0)
      const all = yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.result(exports.create(storeId, { kind: "customers" }))),
        {
          concurrency: "unbounded"
        }
      )
      const created = all.flatMap((one) => (one._tag === "Success" ? [one.success] : []))
      assert.deepStrictEqual(
        all.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : [])),
        Array.from({ length: 8 - MAX_UNFINISHED }, () => "TooManyExports")
      )
      const other = yield* exports.create(otherId, { kind: "customers" })
      yield* reached
      yield* release
      for (const one of created) assert.strictEqual((yield* settled(storeId, one)).state, "finished")
      assert.strictEqual((yield* settled(otherId, other)).state, "finished")
      const { items } = yield* exports.list(storeId, { cursor: undefined, limit: 50 })
      const ids = created.map(({ id }) => id).toSorted()
      assert.deepStrictEqual(
        [...items.matchAll(/"id" : "([^"]+)"/g)].map(([, id]) => id),
        ids.toReversed()
      )
    })
  )

  it.effect("an export of a store is not visible in another one", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const [storeId, otherId] = [yield* makeStore(), yield* makeStore()]
      yield* putCustomers(storeId, customers(1))
      const created = yield* exports.create(storeId, { kind: "customers" })
      yield* settled(storeId, created)
      for (const refused of [
        exports.get(otherId, created.id),
        exports.cancel(otherId, created.id),
        Stream.runDrain(exports.read(otherId, created.id))
      ]) {
        assert.strictEqual((yield* Effect.flip(refused))._tag, "ExportNotFound")
      }
      yield* exports.delete(otherId, created.id)
      assert.strictEqual((yield* exports.list(otherId, { cursor: undefined, limit: 50 })).items, "[]")
      assert.lengthOf(yield* Stream.runCollect(exports.read(storeId, created.id)), 1)
    })
  )

  it.effect("only a finished export can be read", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const created = yield* exports.create(storeId, { kind: "customers" })
      yield* settled(storeId, created)
      const states: ReadonlyArray<ExportState> = ["running", "failed", "canceled"]
      for (const state of states) {
        yield* sql`update exports set state = ${state} where id = ${created.id}`
        const error = yield* Effect.flip(Stream.runDrain(exports.read(storeId, created.id)))
        assert.deepInclude(error, { _tag: "ExportNotFinished", state })
      }
    })
  )

  it.effect("an export of a store that was deleted before it runs fails", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const sql = yield* SqlClient.SqlClient
      const [storeId, deletedId] = [yield* makeStore(), yield* makeStore()]
      yield* putCustomers(storeId, customers(1))
      const { reached, release } = yield* hold(0)
      const first = yield* exports.create(storeId, { kind: "customers" })
      yield* reached
      const second = yield* exports.create(deletedId, { kind: "customers" })
      yield* sql`update stores set deleted_at = now() where id = ${deletedId}`
      yield* release
      assert.strictEqual((yield* settled(storeId, first)).state, "finished")
      assert.deepInclude(yield* settled(deletedId, second), { state: "failed", failure: "The store was not found" })
    })
  )

  it.effect("an export is deleted 24 hours after its end", () =>
    Effect.gen(function* () {
      const exports = yield* Exports
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      yield* putCustomers(storeId, customers(1))
      const created = yield* exports.create(storeId, { kind: "customers" })
      yield* settled(storeId, created)
      const age = (hours: number) =>
        sql`update exports set finished_at = now() - ${hours} * interval '1 hour' where id = ${created.id}`
      yield* age(23.9)
      assert.strictEqual(yield* exports.purge, 0)
      assert.lengthOf(yield* Stream.runCollect(exports.read(storeId, created.id)), 1)
      yield* age(24.1)
      assert.strictEqual(yield* exports.purge, 1)
      assert.strictEqual((yield* Effect.flip(exports.get(storeId, created.id)))._tag, "ExportNotFound")
      assert.deepStrictEqual(yield* rowsLeft(storeId), { jobs: 0, parts: 0 })
    })
  )
})

layer(OneConnectionExportsTest, { excludeTestServices: true, timeout: "60 seconds" })("a pool of one", (it) => {
  it.effect("an export takes no connection from the pool while it reads", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      yield* putCustomers(storeId, customers(1201))
      assert.lengthOf((yield* exported(storeId, "customers")).parts, 3)
    })
  )
})
