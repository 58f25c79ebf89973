import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { DeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { openTransaction, waiting } from "../../support/postgres/OpenTransactions.ts"
import { makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const SUCCESS = { status: 204, durationMillis: 1, answer: new Uint8Array(), error: null }

/** Inserts another event and delivery like the first one of the app. */
const insertAnother = (app: AppId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      with old as (
        select e.*, d.installation_id, d.app_id, uuid_v7(clock_micros()) as new_id
        from deliveries d join events e on e.store_id = d.store_id and e.id = d.event_id
        where d.app_id = ${app} order by e.id limit 1
      ), event as (
        insert into events (
          store_id, id, kind, occurred_at, actor_type, origin_installation_id, resource_id, resource_version, payload
        )
        select store_id, new_id, kind, now(), actor_type, origin_installation_id, resource_id, resource_version, payload
        from old
      )
      insert into deliveries (store_id, event_id, installation_id, app_id)
      select store_id, new_id, installation_id, app_id from old
    `
  )

const isMissed = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    select app_id from deliveries d where finished_at is null and not exists (
      select from endpoints e where e.app_id = d.app_id and e.next_at <= d.next_at
    ) and not exists (select from wakeups w where w.app_id = d.app_id and w.next_at <= d.next_at)
  `
)

// No worker runs: the tests claim deliveries themselves.
layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Wakeups of endpoints", (it) => {
  /** Claims and delivers until nothing is due. */
  const deliverAll = Effect.gen(function* () {
    const { claim, recordResults } = yield* DeliveryQueue.make
    const round = Effect.gen(function* () {
      const claimed = yield* claim(20, new Map())
      yield* recordResults(claimed.map((one) => ({ claimed: one, outcome: "delivered", delay: 0, attempt: SUCCESS })))
      return claimed.length
    })
    return yield* Effect.repeat(round, { until: (length) => length === 0 })
  })

  const unfinished = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from deliveries where finished_at is null`)

  it.effect("a delivery that commits after a claim has put off its endpoint is claimed", () =>
    Effect.gen(function* () {
      const { appId } = yield* makeDeliveries(1)
      const commit = yield* openTransaction(insertAnother(appId))
      yield* deliverAll
      yield* commit
      yield* deliverAll
      assert.lengthOf(yield* unfinished, 0)
    })
  )

  it.effect("a claim does not put off an endpoint that another one has woken since its snapshot", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, storeId } = yield* makeDeliveries(1)
      const { claim } = yield* DeliveryQueue.make
      // The claim sets the delivery aside, but waits for the lock of the installation first.
      yield* sql`update installations set held_at = now() where store_id = ${storeId} and app_id = ${appId}`
      const unlock = yield* openTransaction(
        sql`select from installations where store_id = ${storeId} and app_id = ${appId} for update`
      )
      const slow = yield* Effect.forkChild(claim(10, new Map()))
      yield* waiting
      yield* insertAnother(appId)
      assert.lengthOf(yield* claim(0, new Map()), 0)
      yield* unlock
      assert.lengthOf(yield* Fiber.join(slow), 0)
      yield* sql`update installations set held_at = null where store_id = ${storeId} and app_id = ${appId}`
      assert.lengthOf(yield* claim(10, new Map()), 1)
      assert.lengthOf(yield* isMissed, 0)
    })
  )

  it.effect("no delivery is missed while writers and workers run at the same time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from deliveries`
      const apps = yield* Effect.all(
        Array.from({ length: 3 }, () => Effect.map(makeDeliveries(1), ({ appId }) => appId))
      )
      const { claim, recordResults } = yield* DeliveryQueue.make
      const write = Effect.forEach(
        Array.from({ length: 180 }, (_, n) => apps[n % 3] ?? apps[0]),
        (app) =>
          app === undefined
            ? Effect.void
            : sql.withTransaction(Effect.andThen(insertAnother(app), sql`select pg_sleep(random() * 0.01)`)),
        { concurrency: 4, discard: true }
      )
      const writing = yield* Effect.forkChild(write)
      let n = 0
      const work = Effect.gen(function* () {
        while (writing.pollUnsafe() === undefined) {
          const claimed = yield* claim(1 + (n % 7), new Map())
          // Every third attempt fails and is due again at once.
          yield* recordResults(
            claimed.map((one) =>
              n++ % 3 === 0
                ? { claimed: one, outcome: "retry", delay: 0, attempt: SUCCESS }
                : { claimed: one, outcome: "delivered", delay: 0, attempt: SUCCESS }
            )
          )
        }
      })
      yield* Effect.all([Fiber.join(writing), work, work, work], { concurrency: "unbounded", discard: true })
      assert.lengthOf(yield* isMissed, 0)
      yield* deliverAll
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* sql`select from deliveries where outcome = 'delivered'`, 183)
    })
  )

  it.effect("a claim finds a due delivery behind endpoints with nothing due, and does not examine those again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into endpoints (app_id, next_at) select gen_random_uuid(), now() - interval '1 hour'
        from generate_series(1, 500)
      `
      const { appId } = yield* makeDeliveries(1)
      const { claim } = yield* DeliveryQueue.make
      const [claimed] = yield* claim(10, new Map())
      assert.strictEqual(claimed?.appId, appId)
      assert.lengthOf(yield* sql`select from endpoints where next_at <= now()`, 0)
    })
  )

  it.effect("a statement that inserts many deliveries wakes each endpoint once, and held ones do not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from wakeups`
      yield* sql`
        insert into deliveries (store_id, event_id, installation_id, app_id, next_at, outcome, finished_at)
        select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
          ('00000000-0000-4000-8000-00000000000' || n % 3)::uuid, '2020-01-01'::timestamptz + n * interval '1 second',
          case when n % 3 = 2 then 'held' end, case when n % 3 = 2 then now() end
        from generate_series(1, 9) n
      `
      assert.deepStrictEqual(yield* sql`select app_id, next_at::text from wakeups order by app_id`, [
        { app_id: "00000000-0000-4000-8000-000000000000", next_at: "2020-01-01 00:00:03+00" },
        { app_id: "00000000-0000-4000-8000-000000000001", next_at: "2020-01-01 00:00:01+00" }
      ])
    })
  )

  it.effect("deliveries of a paused webhook wait without being examined, and are claimed once it is resumed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pause, resume } = yield* Webhooks
      yield* sql`delete from deliveries`
      const { appId } = yield* makeDeliveries(2)
      yield* pause(appId)
      const { claim } = yield* DeliveryQueue.make
      assert.lengthOf(yield* claim(10, new Map()), 0)
      assert.deepStrictEqual(yield* sql`select next_at from endpoints where app_id = ${appId}`, [{ next_at: null }])
      yield* resume(appId, "deliver")
      assert.lengthOf(yield* claim(10, new Map()), 2)
    })
  )
})
