import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventId } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { deliveriesOf, markFinished, makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const NOTHING = EventId.make("01890a5d-ac96-774b-bcce-b302099a8057")

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Purge of deliveries", (it) => {
  it.effect("purge deletes finished deliveries with their attempts after 30 days, and events without deliveries", () =>
    Effect.gen(function* () {
      const { purge } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, ids, storeId } = yield* makeDeliveries(4)
      const [old = NOTHING, young = NOTHING, pending = NOTHING, alone = NOTHING] = ids
      yield* markFinished([old], "dead", 30.01)
      yield* markFinished([young, alone], "delivered", 29.9)
      yield* sql`
        insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
        select store_id, event_id, installation_id, 1, now() from deliveries where app_id = ${appId}
      `
      yield* sql`update events set occurred_at = now() - interval '31 days' where store_id = ${storeId} and id <> ${alone}`
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      const remaining = [young, pending, alone]
      assert.deepStrictEqual(
        (yield* deliveriesOf(appId)).map(({ eventId }) => eventId),
        remaining
      )
      for (const table of ["events", "delivery_attempts"]) {
        const column = table === "events" ? "id" : "event_id"
        const left = yield* sql.unsafe<{ readonly id: string }>(
          `select ${column} as id from ${table} where store_id = '${storeId}' order by 1`
        )
        assert.deepStrictEqual(
          left.map(({ id }) => id),
          remaining
        )
      }
    })
  )

  it.effect(
    "purge keeps pending deliveries of a paused webhook for 30 days, then deletes them with attempts and events",
    () =>
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
          yield* sql`
          insert into delivery_attempts (store_id, event_id, installation_id, attempt, started_at)
          select store_id, event_id, installation_id, 1, now() from deliveries where app_id = ${appId}
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
          ["delivery_attempts", "event_id"],
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
})
