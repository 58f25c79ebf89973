import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { deliveriesOf, scene } from "../../support/webhooks/Webhooks.ts"

const LAPSED_ERROR = "The worker stopped before it recorded the result of this attempt"

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Deliveries of a stopped worker", (it) => {
  it.effect("redeliver, redeliverSince and resume log the interrupted attempt of an expired lease", () =>
    Effect.gen(function* () {
      const { attempts, redeliver, redeliverSince, resume } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      for (const [change, outcome] of [
        [(appId: AppId, event: EventId) => redeliver(appId, event), null],
        [(appId: AppId) => redeliverSince(appId, new Date(0), "all"), null],
        [(appId: AppId) => Effect.map(resume(appId, "deliver"), ({ count }) => count), null],
        [(appId: AppId) => Effect.map(resume(appId, "skip"), ({ count }) => count), "skipped"]
      ] as const) {
        const { appId, writer } = yield* scene()
        yield* writer.post("/products", { name: "Cup" })
        yield* sql`
          update deliveries set attempts = 1, lease = gen_random_uuid(), next_at = now() where app_id = ${appId}
        `
        const eventId = EventId.make((yield* deliveriesOf(appId))[0]?.eventId ?? "")
        assert.strictEqual(yield* change(appId, eventId), 1)
        assert.deepInclude((yield* deliveriesOf(appId))[0], { leased: false, attempts: 1, outcome })
        const log = yield* attempts(appId, eventId)
        assert.deepStrictEqual(
          log.map(({ attempt, error }) => ({ attempt, error })),
          [{ attempt: 1, error: LAPSED_ERROR }]
        )
      }
    })
  )
})
