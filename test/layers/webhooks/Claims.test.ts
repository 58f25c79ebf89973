import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { DeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { deliveriesOf, makeDeliveries } from "../../support/webhooks/Webhooks.ts"

const NOTHING = EventId.make("01890a5d-ac96-774b-bcce-b302099a8057")

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Delivery queue", (it) => {
  const claimAll = Effect.flatMap(DeliveryQueue.make, ({ claim }) => claim(100, new Map()))
  const expireLeases = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update deliveries set next_at = now() where lease is not null`
  )

  it.effect(
    "claim leases a delivery to one worker at a time and logs the interrupted attempt of an expired lease",
    () =>
      Effect.gen(function* () {
        const { attempts } = yield* Webhooks
        const { recordResults } = yield* DeliveryQueue.make
        const { appId, ids } = yield* makeDeliveries(1)
        const [first] = yield* claimAll
        assert.deepInclude(first, { appId, attempt: 1, failures: 0, isActive: true })
        assert.approximately(first?.now ?? 0, Date.now() / 1000, 60)
        assert.lengthOf(yield* claimAll, 0)
        yield* expireLeases
        const [second] = yield* claimAll
        assert.deepInclude(second, { appId, attempt: 2 })
        assert.deepInclude((yield* attempts(appId, ids[0] ?? NOTHING))[0], {
          attempt: 1,
          status: null,
          error: "The worker stopped before it recorded the result of this attempt"
        })

        // A late result of the first worker does not change the delivery but corrects the log.
        if (first === undefined || second === undefined) return assert.fail("Nothing was claimed")
        const attempt = { status: 500, durationMillis: 7, answer: new Uint8Array(), error: null }
        yield* recordResults([{ claimed: first, outcome: "retry", delay: 5, attempt }])
        assert.deepInclude((yield* deliveriesOf(appId))[0], { leased: true, failures: 0 })
        assert.deepInclude((yield* attempts(appId, ids[0] ?? NOTHING))[0], {
          status: 500,
          durationMillis: 7,
          error: null
        })
        yield* recordResults([
          { claimed: second, outcome: "delivered", delay: 0, attempt: { ...attempt, status: 204 } }
        ])
        assert.deepInclude((yield* deliveriesOf(appId))[0], { leased: false, outcome: "delivered" })
      })
  )

  it.effect("claim shares free slots evenly among endpoints, whatever their backlog", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const long = yield* makeDeliveries(30)
      const short = [yield* makeDeliveries(2), yield* makeDeliveries(2)]
      const { claim } = yield* DeliveryQueue.make
      const claimed = yield* claim(9, new Map())
      const of = (app: AppId) => claimed.filter(({ appId }) => appId === app).length
      assert.strictEqual(of(long.appId), 3)
      for (const { appId } of short) assert.strictEqual(of(appId), 2)
      yield* sql`update deliveries set next_at = now(), lease = null where finished_at is null`

      // Deliveries in flight in this process count: the endpoint with the longest queue is at its limit.
      const more = yield* claim(9, new Map([[long.appId, 32]]))
      assert.lengthOf(more, 4)
    })
  )

  it.effect("claim prefers healthy endpoints when slots are scarce, whatever the backlog of failing ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from deliveries`
      const dead = [yield* makeDeliveries(3), yield* makeDeliveries(3), yield* makeDeliveries(3)]
      for (const { appId } of dead) {
        yield* sql`insert into endpoints (app_id, failing_since) values (${appId}, now() - interval '1 hour')`
        yield* sql`update deliveries set next_at = now() - interval '1 hour' where app_id = ${appId}`
      }
      const healthy = yield* makeDeliveries(1)
      const { claim } = yield* DeliveryQueue.make
      const claimed = yield* claim(2, new Map())
      assert.lengthOf(claimed, 2)
      assert.include(
        claimed.map(({ appId }) => appId),
        healthy.appId
      )
      // A failing endpoint gets at most two slots, even if more are free.
      const others = yield* claim(100, new Map())
      for (const { appId } of dead) assert.isAtMost(others.filter((one) => one.appId === appId).length, 2)
    })
  )

  it.effect("concurrent claims lease each delivery once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from deliveries`
      yield* Effect.all(Array.from({ length: 4 }, () => makeDeliveries(20)))
      const queue = yield* DeliveryQueue.make
      const rounds = yield* Effect.all(
        Array.from({ length: 40 }, () => queue.claim(10, new Map())),
        { concurrency: 8 }
      )
      const ids = rounds.flat().map(({ eventId }) => eventId)
      assert.lengthOf(ids, 80)
      assert.lengthOf(new Set(ids), 80)
    })
  )
})
