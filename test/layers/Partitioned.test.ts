import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { makeQueue } from "../../src/layers/webhooks/Queue.ts"
import { ApiTest, dataOf } from "../support/Api.ts"
import { deliveriesOf, scene } from "../support/Webhooks.ts"

const TABLES = ["idempotency_records", "events", "deliveries", "delivery_attempts"]

const PARTITIONS = 8

/** The tables distributed by store. The first row of each partition then has the place (0,1), and so on. */
const distribute = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const table of TABLES) {
    yield* sql.unsafe(`alter table ${table} rename to ${table}_whole`)
    yield* sql.unsafe(`create table ${table} (like ${table}_whole including all) partition by hash (store_id)`)
    for (let part = 0; part < PARTITIONS; part++) {
      yield* sql.unsafe(
        `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`
      )
    }
  }
})

const Distributed = Layer.provideMerge(Layer.effectDiscard(Effect.orDie(distribute)), ApiTest)

/** Six stores, in each of them one product that was made with the key `first`, and one delivery of its event. */
const stores = Effect.gen(function* () {
  const scenes = yield* Effect.all(Array.from({ length: 6 }, () => scene()))
  return yield* Effect.forEach(scenes, (one, n) =>
    Effect.map(one.writer.post("/products", { name: `Cup ${n}` }, { key: "first" }), (answer) => ({ ...one, answer }))
  )
})

layer(Distributed, { excludeTestServices: true, timeout: "60 seconds" })("On tables distributed by store", (it) => {
  it.scoped("what is done to a row of one store is done to no row at the same place of another", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const all = yield* stores
      const [one, ...others] = all
      if (one === undefined) return assert.fail("There is no store")
      for (const table of ["idempotency_records", "events", "deliveries"]) {
        const shared = yield* sql.unsafe(`select ctid from ${table} group by ctid having count(*) > 1`)
        assert.isNotEmpty(shared, table)
      }

      // The record of a write.
      for (const { answer, writer } of all) {
        const name = dataOf(answer)["name"]
        assert.strictEqual((yield* writer.post("/products", { name }, { key: "first" })).text, answer.text)
      }

      // A claim, and what came of it.
      yield* sql`update webhooks set paused_at = now(), pause_reason = 'operator' where app_id <> ${one.appId}`
      const queue = makeQueue(sql)
      const claimed = yield* queue.claim(10, new Map())
      assert.deepStrictEqual(
        claimed.map(({ storeId }) => storeId),
        [one.storeId]
      )
      const attempt = { status: 200, durationMillis: 1, answer: new Uint8Array(), error: null }
      yield* queue.settle(claimed.map((claimed) => ({ claimed, outcome: "delivered", delay: 0, attempt })))
      assert.deepInclude((yield* deliveriesOf(one.appId))[0], { outcome: "delivered", attempts: 1 })
      for (const { appId } of others) {
        assert.deepInclude((yield* deliveriesOf(appId))[0], { outcome: null, attempts: 0, leased: false })
      }

      // What has expired.
      yield* sql`update idempotency_records set expires_at = now() where store_id = ${one.storeId}`
      yield* sql`update deliveries set finished_at = now() - interval '31 days' where store_id = ${one.storeId}`
      yield* sql`update events set occurred_at = now() - interval '31 days' where store_id = ${one.storeId}`
      for (const { purge } of [yield* Idempotency, yield* Webhooks]) {
        yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      }
      const left = others.map(({ storeId }) => ({ store: storeId })).toSorted((a, b) => (a.store < b.store ? -1 : 1))
      for (const table of ["idempotency_records", "events", "deliveries"]) {
        assert.deepStrictEqual(yield* sql.unsafe(`select store_id as store from ${table} order by 1`), left, table)
      }
    })
  )
})
