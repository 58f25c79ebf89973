import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { DeliveryQueue } from "../../src/layers/webhooks/DeliveryQueue.ts"
import { IsolatedApiTest } from "../support/http/Api.ts"
import { deliveriesOf, scene } from "../support/webhooks/Webhooks.ts"

const TABLES = ["idempotency_records", "deliveries"]

const PARTITIONS = 8

/** Partitions the tables by store. Rows of different partitions then share physical addresses (ctid). */
const distribute = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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

const Distributed = Layer.provideMerge(Layer.effectDiscard(Effect.orDie(distribute)), IsolatedApiTest)

/** Six stores, each with an app that receives events. Their corresponding rows have the same ctid. */
const stores = Effect.all(Array.from({ length: 6 }, () => scene()))

/** The store of each row of a table. */
const ownersOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<{ readonly store: string }>(`select store_id as store from ${table} order by 1`)
    return rows.map(({ store }) => store)
  })

layer(Distributed, { excludeTestServices: true, timeout: "60 seconds" })("Tables partitioned by store", (it) => {
  it.effect("a response is stored only in the record of its key, not in rows of other stores with the same ctid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, ...others] = yield* stores
      if (one === undefined) return assert.fail("There is no store")
      for (const { storeId } of others) {
        yield* sql`
          insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
          select ${storeId}, gen_random_uuid(), n, '', 'before', now() + interval '1 hour' from generate_series(1, 20) n
        `
      }
      const answer = yield* one.writer.post("/products", { name: "Cup" }, { key: "first" })
      assert.strictEqual((yield* one.writer.post("/products", { name: "Cup" }, { key: "first" })).text, answer.text)
      assert.lengthOf(yield* sql`select 1 from idempotency_records where outcome <> 'before'`, 1)
    })
  )

  it.effect("claims, results and purges affect rows of one store only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of [...TABLES, "events"]) yield* sql.unsafe(`truncate ${table}`)
      const [one, ...others] = yield* stores
      if (one === undefined) return assert.fail("There is no store")
      for (const { writer } of [one, ...others]) yield* writer.post("/products", { name: "Cup" })

      yield* sql`update webhooks set paused_at = now(), pause_reason = 'operator' where app_id <> ${one.appId}`
      const queue = yield* DeliveryQueue.make
      const claimed = yield* queue.claim(10, new Map())
      assert.deepStrictEqual(
        claimed.map(({ storeId }) => storeId),
        [one.storeId]
      )
      const attempt = { status: 200, durationMillis: 1, answer: new Uint8Array(), error: null }
      yield* queue.recordResults(claimed.map((claimed) => ({ claimed, outcome: "delivered", delay: 0, attempt })))
      assert.deepInclude((yield* deliveriesOf(one.appId))[0], { outcome: "delivered", attempts: 1 })
      for (const { appId } of others) {
        assert.deepInclude((yield* deliveriesOf(appId))[0], { outcome: null, attempts: 0, leased: false })
      }

      // Every row is rewritten, so that expired rows share their ctid with others.
      const isOne = sql`store_id = ${one.storeId}`
      yield* sql`update deliveries set outcome = 'delivered', finished_at = now() - case when ${isOne} then 31 else 0 end * interval '1 day'`
      yield* sql`update events set occurred_at = now() - case when ${isOne} then 31 else 0 end * interval '1 day'`
      yield* sql`update idempotency_records set expires_at = now() + case when ${isOne} then 0 else 1 end * interval '1 hour'`
      for (const { purge } of [yield* Idempotency, yield* Webhooks]) {
        yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      }
      const left = others.map(({ storeId }): string => storeId).toSorted()
      for (const table of ["idempotency_records", "events", "deliveries"]) {
        assert.deepStrictEqual(yield* ownersOf(table), left, table)
      }
    })
  )
})
