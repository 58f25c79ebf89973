import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeOutgoing } from "./Outgoing.ts"
import { makeReseal } from "./Reseal.ts"
import { sealingLater } from "./SecretKeys.ts"
import { makeSubscriptions } from "./Subscriptions.ts"
import { SignInThrottle } from "../access/SignInThrottle.ts"
import { makeTestDeliveries } from "./TestDeliveries.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sealing = yield* sealingLater
    const allowed = yield* allowedHosts
    const outgoing = yield* makeOutgoing({ allowed })
    return Webhooks.of({
      ...makeSubscriptions(sql, { allowed, sealing }),
      ...makeTestDeliveries(sql, { outgoing, sealing, throttle: yield* SignInThrottle }),
      ...makeDeliveryLog(sql),
      reseal: makeReseal(sql, sealing)
    })
  })
).pipe(Layer.provide(SignInThrottle.layer))
