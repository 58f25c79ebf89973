import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { type Job, JobKind, Jobs, LeaseLost } from "../../../src/layers/jobs/Jobs.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

const Live = Jobs.layer.pipe(Layer.provideMerge(DomainLive), Layer.provideMerge(PostgresTest))

const makeStore = Effect.flatMap(Stores, ({ create }) => create({ name: "A", plan: "scale", currencyCode: "EUR" }))

/** Adds a job that became due so many seconds ago. */
const addJob = Effect.fn(function* (secondsAgo: number, storeId?: Job["storeId"], kind: JobKind = "changeSet.preview") {
  const jobs = yield* Jobs
  const subject = randomUUID()
  const store = storeId ?? (yield* makeStore)
  yield* jobs.insertStatement(store, subject, kind, new Date(Date.now() - secondsAgo * 1000))
  return { storeId: store, subjectId: subject }
})

const claimed = Effect.flatMap(Jobs, ({ claim }) => claim(JobKind.literals, undefined))
const subjectOf = Option.map(({ subjectId }: Job) => subjectId)

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Jobs", (it) => {
  it.effect("a store finishes one job before it begins the next; stores take turns", () =>
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const first = yield* addJob(30)
      const second = yield* addJob(20, first.storeId)
      const other = yield* addJob(10)
      const later = yield* addJob(-60)
      const one = Option.getOrThrow(yield* claimed)
      assert.strictEqual(one.subjectId, first.subjectId)
      // The second job of the store waits, although it is due longer.
      assert.deepStrictEqual(subjectOf(yield* claimed), Option.some(other.subjectId))
      assert.isTrue(Option.isNone(yield* claimed))
      // A job that has begun precedes others of its store, also one that became due earlier and one of another lane.
      const scheduled = yield* addJob(40, first.storeId)
      const copies = yield* addJob(5, first.storeId, "import.copyImages")
      yield* jobs.release(one, 0, 0)
      assert.isTrue(Option.isNone(yield* jobs.claim(["import.copyImages"], undefined)))
      assert.deepStrictEqual(subjectOf(yield* claimed), Option.some(first.subjectId))
      yield* jobs.deleteStatement(first.storeId, first.subjectId)
      for (const next of [scheduled, second, copies]) {
        const job = Option.getOrThrow(yield* claimed)
        assert.strictEqual(job.subjectId, next.subjectId)
        yield* jobs.finish(job)
      }
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from jobs where subject_id = ${later.subjectId} and lease is null`, 1)
      yield* sql`delete from jobs`
    })
  )

  it.effect("many runners that claim at once never run two jobs of a store", () =>
    Effect.gen(function* () {
      const stores = [yield* makeStore, yield* makeStore, yield* makeStore]
      for (const store of stores) for (let n = 0; n < 5; n++) yield* addJob(10 - n, store)
      const taken = yield* Effect.all(
        Array.from({ length: 12 }, () => claimed),
        { concurrency: "unbounded" }
      )
      const owners = taken.flatMap(Option.toArray).map(({ storeId }) => storeId)
      assert.strictEqual(new Set(owners).size, owners.length)
      assert.isAtLeast(owners.length, 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from jobs`
    })
  )

  it.effect("a job whose lease ended runs elsewhere, and its former runner can commit nothing", () =>
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const sql = yield* SqlClient.SqlClient
      const { subjectId } = yield* addJob(10)
      const former = Option.getOrThrow(yield* claimed)
      assert.isFalse(yield* jobs.keep(former))
      yield* sql`update jobs set next_at = now() where subject_id = ${subjectId}`
      const next = Option.getOrThrow(yield* claimed)
      assert.strictEqual(next.subjectId, subjectId)
      for (const action of [jobs.keep(former), jobs.finish(former)]) {
        assert.instanceOf(yield* Effect.flip(action), LeaseLost)
      }
      yield* jobs.release(former, 0, 0)
      yield* jobs.cancelStatement(next.storeId, subjectId)
      assert.isTrue(yield* jobs.keep(next))
      yield* jobs.finish(next)
      assert.lengthOf(yield* sql`select from jobs where subject_id = ${subjectId}`, 0)
    })
  )

  it.effect("the queue has the jobs that are due and the progress of unfinished ones", () =>
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from jobs`
      const [due, later] = [yield* addJob(10, undefined, "changeSet.apply"), yield* addJob(-1000)]
      for (const [{ storeId, subjectId }, done, total] of [
        [due, 200, 500],
        [later, 0, -1]
      ] as const) {
        yield* sql`
          insert into change_sets (
            store_id, id, state, mode, actor_type, actor_id, surface, scopes, total, done, created_at
          ) values (
            ${storeId}, ${subjectId}, 'applying', 'each', 'app', ${subjectId}, 'rest', '{}', ${total}, ${done}, now()
          )
        `
      }
      assert.deepStrictEqual(yield* jobs.queue, { depth: 1, done: 200, left: 300 })
      yield* sql`delete from jobs`
      assert.deepStrictEqual(yield* jobs.queue, { depth: 0, done: 0, left: 0 })
    })
  )
})
