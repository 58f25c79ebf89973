import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeSubscriptions } from "./Subscriptions.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return Webhooks.of({ ...makeSubscriptions(sql, yield* allowedHosts), ...makeDeliveryLog(sql) })
  })
)
