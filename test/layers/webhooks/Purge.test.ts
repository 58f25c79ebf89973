import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventId } from "../../../src/domain/Events.ts"
import { leastUuidOf } from "../../../src/domain/Uuid.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { deliveriesOf, markFinished, makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const WEEK = 604_800_000

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

  it.effect("attempts are dropped with the week of their events, once none of its deliveries is left", () =>
    Effect.gen(function* () {
      const { purge } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId } = yield* makeDeliveries(1)
      const partitions = Effect.map(
        sql<{ readonly name: string }>`
          select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'delivery_attempts'::regclass order by 1
        `,
        (rows) => rows.map(({ name }) => name)
      )
      const now = Math.floor(Date.now() / WEEK)
      const coming = [now, now + 1, now + 2].map((week) => `delivery_attempts_${week}`)
      const old = [now - 7, now - 6].map((week) => `delivery_attempts_${week}`)
      // The first partition holds the weeks up to the next one.
      yield* sql`alter table delivery_attempts detach partition ${sql(coming[1] ?? "")}`
      yield* sql`drop table ${sql(coming[1] ?? "")}, ${sql(coming[2] ?? "")}`
      const insert = (week: number, table: string) =>
        sql`
          with event as (select ${leastUuidOf(new Date(week * WEEK))}::uuid as id), delivery as (
            insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
            select store_id, event.id, installation_id, app_id, 'dead', now() from deliveries, event
            where app_id = ${appId} limit 1
          )
          insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
          select store_id, event.id, installation_id, 1, now() from deliveries, event where app_id = ${appId} limit 1
        `.pipe(
          Effect.andThen(sql`select tableoid::regclass::text as name from delivery_attempts order by event_id desc`),
          Effect.map((rows) => assert.deepInclude(rows, { name: table }))
        )
      yield* insert(now - 8, "delivery_attempts_default")
      for (const [index, name] of old.entries()) {
        const [from, to] = [0, 1].map((more) => leastUuidOf(new Date((now - 7 + index + more) * WEEK)))
        yield* sql`
          create table ${sql(name)} partition of delivery_attempts
          for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)})
        `
        yield* insert(now - 7 + index, name)
      }
      yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      assert.deepStrictEqual(yield* partitions, [...old, ...coming, "delivery_attempts_default"])

      yield* sql`update deliveries set finished_at = now() - interval '31 days' where event_id < ${leastUuidOf(new Date((now - 6) * WEEK))}`
      yield* Effect.repeat(purge, { while: (changed) => changed > 0 })
      assert.deepStrictEqual(yield* partitions, [...old.slice(1), ...coming, "delivery_attempts_default"])
      assert.lengthOf(yield* sql`select from delivery_attempts_default`, 0)
    })
  )
})
