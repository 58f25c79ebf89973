import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AppId } from "../../../src/domain/access/Ids.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest, makeApp } from "../../support/http/Api.ts"
import { deliveriesOf, markFinished, makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const UNKNOWN_APP = AppId.make("01890a5d-ac96-774b-bcce-b302099a8057")
const UNKNOWN_EVENT = EventId.make("01890a5d-ac96-774b-bcce-b302099a8057")

const outcomes = (appId: AppId) => Effect.map(deliveriesOf(appId), (rows) => rows.map(({ outcome }) => outcome))

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Webhooks", (it) => {
  it.effect("redeliver sends a finished event again, whatever its outcome", () =>
    Effect.gen(function* () {
      const { redeliver } = yield* Webhooks
      for (const outcome of ["delivered", "dead", "skipped", "canceled"]) {
        const { appId, ids } = yield* makeDeliveries(2)
        const [first = UNKNOWN_EVENT] = ids
        yield* markFinished(ids, outcome)
        assert.strictEqual(yield* redeliver(appId, first), 1)
        assert.deepStrictEqual(yield* outcomes(appId), [null, outcome])
        assert.deepInclude((yield* deliveriesOf(appId))[0], { failures: 0, attempts: 14 })
      }
    })
  )

  it.effect("redeliverSince resends all events or only dead ones of one app since a time", () =>
    Effect.gen(function* () {
      const { redeliverSince } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, ids, storeId } = yield* makeDeliveries(5)
      const other = yield* makeDeliveries(1)
      const [one, two, three, four, five] = ids
      yield* markFinished(
        [...other.ids, one, two, three].flatMap((id) => id ?? []),
        "delivered"
      )
      yield* markFinished(
        [four, five].flatMap((id) => id ?? []),
        "dead"
      )
      const [row] = yield* sql<{
        readonly at: Date
      }>`select occurred_at as at from events where store_id = ${storeId} and id = ${three ?? ""}`
      const since = row?.at ?? new Date(0)
      assert.strictEqual(yield* redeliverSince(appId, since, "dead"), 2)
      assert.deepStrictEqual(yield* outcomes(appId), ["delivered", "delivered", "delivered", null, null])
      assert.strictEqual(yield* redeliverSince(appId, since, "all"), 3)
      assert.deepStrictEqual(yield* outcomes(appId), ["delivered", "delivered", null, null, null])
      assert.strictEqual(yield* redeliverSince(appId, new Date(0), "all"), 5)
      assert.strictEqual(yield* redeliverSince(appId, new Date(Date.now() + 60_000), "all"), 0)
      for (const far of [new Date(-8.64e15), new Date(8.64e15)]) {
        assert.strictEqual(yield* redeliverSince(appId, far, "all"), far.getTime() < 0 ? 5 : 0)
      }
      assert.deepStrictEqual(yield* outcomes(other.appId), ["delivered"])
    })
  )

  it.effect("redeliverSince and resume change more deliveries than one batch holds", () =>
    Effect.gen(function* () {
      const { redeliverSince, resume } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, storeId } = yield* makeDeliveries(1)
      yield* sql`
        insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
        select ${storeId}, uuid_v7(clock_micros() + n), gen_random_uuid(), ${appId}, 'delivered', now()
        from generate_series(1, 2500) n
      `
      assert.strictEqual(yield* redeliverSince(appId, new Date(Date.now() - 60_000), "all"), 2501)
      const left = yield* sql`select 1 from deliveries where app_id = ${appId} and finished_at is not null`
      assert.lengthOf(left, 0)
      const missed = yield* resume(appId, "skip")
      assert.strictEqual(missed.count, 2501)
      assert.isTrue((missed.since ?? 0) < (missed.until ?? 0))
      const skipped = yield* sql`select 1 from deliveries where app_id = ${appId} and outcome = 'skipped'`
      assert.lengthOf(skipped, 2501)
      yield* sql`delete from deliveries where app_id = ${appId}`
    })
  )

  it.effect("redeliver, redeliverSince and resume do not change deliveries in flight", () =>
    Effect.gen(function* () {
      const { redeliver, redeliverSince, resume } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const { appId, ids } = yield* makeDeliveries(1)
      yield* sql`update deliveries set lease = gen_random_uuid(), next_at = now() + interval '20 s' where app_id = ${appId}`
      const before = yield* deliveriesOf(appId)
      assert.strictEqual(yield* redeliver(appId, ids[0] ?? UNKNOWN_EVENT), 0)
      assert.strictEqual(yield* redeliverSince(appId, new Date(0), "all"), 0)
      assert.strictEqual((yield* resume(appId, "skip")).count, 0)
      assert.deepStrictEqual(yield* deliveriesOf(appId), before)
    })
  )

  it.effect("deliveries are listed newest first, with an optional filter by state", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* Webhooks
      const { appId, ids } = yield* makeDeliveries(3)
      yield* markFinished(ids.slice(0, 1), "dead")
      const { items: all, nextCursor } = yield* deliveries(appId, { limit: 2 })
      assert.deepStrictEqual(
        all.map(({ eventId, kind, state }) => ({ eventId, kind, state })),
        ids
          .toReversed()
          .slice(0, 2)
          .map((eventId) => ({ eventId, kind: "catalog.product.updated.v1" as const, state: "pending" as const }))
      )
      assert.isNotNull(all[0]?.nextAt)
      assert.strictEqual(nextCursor, all[1]?.eventId)
      const rest = yield* deliveries(appId, { limit: 2, cursor: nextCursor ?? UNKNOWN_EVENT })
      assert.deepStrictEqual([rest.items.map(({ eventId }) => eventId), rest.nextCursor], [ids.slice(0, 1), null])
      const { items: dead } = yield* deliveries(appId, { state: "dead", limit: 10 })
      assert.deepStrictEqual(
        dead.map(({ eventId, nextAt }) => ({ eventId, nextAt })),
        [{ eventId: ids[0] ?? UNKNOWN_EVENT, nextAt: null }]
      )
      assert.lengthOf((yield* deliveries(appId, { state: "pending", limit: 10 })).items, 2)
    })
  )

  it.effect("missing apps, webhooks and deliveries have distinct errors", () =>
    Effect.gen(function* () {
      const { attempts, deliveries, pause, redeliver, redeliverSince, resume, rotateSecret, show } = yield* Webhooks
      const errorsOf = (app: AppId) =>
        Effect.all([
          Effect.flip(show(app)),
          Effect.flip(pause(app)),
          Effect.flip(resume(app, "deliver")),
          Effect.flip(rotateSecret(app, "overlap")),
          Effect.flip(deliveries(app, { limit: 1 })),
          Effect.flip(redeliverSince(app, new Date(0), "all"))
        ])
      for (const error of yield* errorsOf(UNKNOWN_APP)) assert.strictEqual(error._tag, "AppNotFound")
      for (const error of yield* errorsOf(yield* makeApp())) {
        assert.strictEqual(error._tag, "WebhookNotFound")
        assert.include(error.message, "set its URL and events first")
      }
      const { appId } = yield* makeDeliveries(0)
      assert.strictEqual((yield* Effect.flip(redeliver(appId, UNKNOWN_EVENT)))._tag, "DeliveryNotFound")
      assert.strictEqual((yield* Effect.flip(attempts(appId, UNKNOWN_EVENT)))._tag, "DeliveryNotFound")
    })
  )
})
