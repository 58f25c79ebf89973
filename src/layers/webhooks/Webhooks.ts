import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../sql/Postgres.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeOutgoing } from "./Outgoing.ts"
import { makeReseal } from "./Reseal.ts"
import { sealingLater } from "./SecretKeys.ts"
import { makeSubscriptions } from "./Subscriptions.ts"
import { makeTestDeliveries } from "./TestDeliveries.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const database = yield* Database
    const sealing = yield* sealingLater
    const allowed = yield* allowedHosts
    return Webhooks.of({
      ...makeSubscriptions(database, { allowed, sealing }),
      ...makeTestDeliveries(database, { outgoing: yield* makeOutgoing({ allowed }), sealing }),
      ...makeDeliveryLog(database),
      reseal: makeReseal(database, sealing)
    })
  })
)
