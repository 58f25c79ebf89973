import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../database/Postgres.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeReseal } from "./Reseal.ts"
import { sealingLater } from "./SecretKeys.ts"
import { makeSubscriptions } from "./Subscriptions.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const database = yield* Database
    const sealing = yield* sealingLater
    return Webhooks.of({
      ...makeSubscriptions(database, { allowed: yield* allowedHosts, sealing }),
      ...makeDeliveryLog(database),
      reseal: makeReseal(database, sealing)
    })
  })
)
