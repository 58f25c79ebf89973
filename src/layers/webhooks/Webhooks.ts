import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../database/Postgres.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeSubscriptions } from "./Subscriptions.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const database = yield* Database
    return Webhooks.of({ ...makeSubscriptions(database, yield* allowedHosts), ...makeDeliveryLog(database) })
  })
)
