import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventId } from "../../../src/domain/Events.ts"
import { leastUuidOf } from "../../../src/domain/Uuid.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { deliveriesOf, markFinished, makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const WEEK = 604_800_000

const WEEK_TABLES = [
  { table: "events", id: "id" },
  { table: "delivery_attempts", id: "event_id" }
] as const

const NOTHING = EventId.make("01890a5d-ac96-774b-bcce-b302099a8057")

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Purge of deliveries", (it) => {
  it.effect("purge deletes finished deliveries after 30 days, and events without deliveries", () =>
    Effect.gen(function* () {
      const { purge } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, ids, storeId } = yield* makeDeliveries(4)
      const [old = NOTHING, young = NOTHING, pending = NOTHING, alone = NOTHING] = ids
      yield* markFinished([old], "dead", 30.01)
      yield* markFinished([young, alone], "delivered", 29.9)
      yield* sql`update events set occurred_at = now() - interval '31 days' where store_id = ${storeId} and id <> ${alone}`
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      const remaining = [young, pending, alone]
      assert.deepStrictEqual(
        (yield* deliveriesOf(appId)).map(({ eventId }) => eventId),
        remaining
      )
      const left = yield* sql<{ readonly id: string }>`select id from events where store_id = ${storeId} order by 1`
      assert.deepStrictEqual(
        left.map(({ id }) => id),
        remaining
      )
    })
  )

  it.effect("purge keeps pending deliveries of a paused webhook for 30 days, then deletes them with their events", () =>
    Effect.gen(function* () {
      const { pause, purge, resume, show } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const [paused, open] = [yield* makeDeliveries(3), yield* makeDeliveries(3)]
      assert.isNull((yield* show(paused.appId)).pendingDroppedFrom)
      yield* pause(paused.appId)
      for (const { appId, ids } of [paused, open]) {
        yield* sql`
          update deliveries set next_at = now() - case when event_id = ${ids[0] ?? ""} then 29.9 else 30.1 end * interval '1 day'
          where app_id = ${appId}
        `
        yield* sql`update events set occurred_at = now() - interval '31 days' where id = any(${ids}::uuid[])`
      }
      const webhook = yield* show(paused.appId)
      assert.strictEqual(webhook.pending, 3)
      assert.approximately(webhook.pendingDroppedFrom?.getTime() ?? 0, Date.now() - 0.1 * 86_400_000, 60_000)

      yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      const left = [...paused.ids.slice(0, 1), ...open.ids].toSorted()
      for (const [table, column] of [
        ["deliveries", "event_id"],
        ["events", "id"]
      ]) {
        const rows = yield* sql.unsafe<{ readonly id: string }>(
          `select ${column} as id from ${table} where store_id in ('${paused.storeId}', '${open.storeId}') order by 1`
        )
        assert.deepStrictEqual(
          rows.map(({ id }) => id),
          left,
          table
        )
      }
      assert.deepInclude(yield* show(paused.appId), { pending: 1 })
      assert.strictEqual((yield* resume(paused.appId, "deliver")).count, 1)
    })
  )

  it.effect.each(WEEK_TABLES)("weeks of $table are dropped, and rows of their last deliveries move", ({ id, table }) =>
    Effect.gen(function* () {
      const { purge } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId } = yield* makeDeliveries(1)
      const purged = Effect.repeat(purge, { while: (changed) => changed > 0 })
      const partitions = Effect.map(
        sql<{ readonly name: string }>`
          select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = ${table}::regclass order by 1
        `,
        (rows) => rows.map(({ name }) => name)
      )
      const now = Math.floor(Date.now() / WEEK)
      const coming = [now, now + 1, now + 2].map((week) => `${table}_${week}`)
      const rest = [...coming, `${table}_default`]
      const [first, second, third] = [now - 9, now - 8, now - 7]
      const old = [first, second, third].map((week) => `${table}_${week}`)
      // The first partition holds the weeks up to the next one.
      yield* sql`alter table ${sql(table)} detach partition ${sql(coming[1] ?? "")}`
      yield* sql`drop table ${sql(coming[1] ?? "")}`
      yield* sql`drop table if exists ${sql(coming[2] ?? "")}`

      /** Inserts events of a week with a delivery and an attempt each. Those of a week have different clock sequences. */
      const insert = (week: number, count: number) => sql`
        with made as (
          insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
          select store_id, overlay(${leastUuidOf(new Date(week * WEEK))} placing to_char(n, 'FM0000') from 20)::uuid,
            installation_id, app_id, 'dead', now()
          from (select * from deliveries where app_id = ${appId} limit 1) d, generate_series(1, ${count}::integer) n
          returning store_id, event_id, installation_id
        ), attempts as (
          insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
          select *, 1, now() from made
        )
        insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
        select store_id, event_id, 'catalog.product.updated.v1', now() - interval '50 days', 'merchant', event_id, 1, '{}'
        from made
      `
      const finish = (week: number) => sql`
        update deliveries set finished_at = now() - interval '31 days'
        where event_id >= ${leastUuidOf(new Date(week * WEEK))} and event_id < ${leastUuidOf(new Date((week + 1) * WEEK))}
      `
      const rowsByTable = sql`
        select tableoid::regclass::text as name, count(*)::integer as count from ${sql(table)}
        where ${sql(id)} < ${leastUuidOf(new Date((now - 6) * WEEK))} group by 1 order by 1
      `
      for (const [index, name] of old.entries()) {
        const [from, to] = [0, 1].map((more) => leastUuidOf(new Date((first + index + more) * WEEK)))
        yield* sql`
          create table ${sql(name)} partition of ${sql(table)}
          for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)})
        `
      }
      yield* insert(first - 1, 1)
      yield* insert(second, 2)
      yield* insert(third, 1001)
      yield* sql`
        create trigger store_move_1 before insert on ${sql(table)} for each row when (new.store_id is null)
        execute function fence_store()
      `
      yield* purged
      assert.deepStrictEqual(yield* partitions, [...old, ...rest])

      // No store moves any more. The first week has no deliveries, the second one few, and the third one too many.
      yield* sql`drop trigger store_move_1 on ${sql(table)}`
      yield* purged
      assert.deepStrictEqual(yield* partitions, [...old.slice(2), ...rest])
      assert.deepStrictEqual(yield* rowsByTable, [
        { name: old[2], count: 1001 },
        { name: `${table}_default`, count: 3 }
      ])

      yield* finish(third)
      yield* purged
      assert.deepStrictEqual(yield* partitions, rest)
      assert.deepStrictEqual(yield* rowsByTable, [{ name: `${table}_default`, count: 3 }])

      yield* Effect.andThen(finish(first - 1), finish(second))
      yield* sql`update events set needed_at = occurred_at where needed_at is not null`
      yield* purged
      assert.deepStrictEqual(yield* rowsByTable, [])
      const storage = yield* sql`
        select distinct reloptions from pg_class where relname = any(${rest}) and relkind = 'r'
      `
      assert.lengthOf(storage, 1)
      assert.match(JSON.stringify(storage), /autovacuum_vacuum_scale_factor=0.01/)
    })
  )
})
