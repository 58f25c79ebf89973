import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../database/Postgres.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeReseal } from "./Reseal.ts"
import { sealing } from "./SecretKeys.ts"
import { makeSubscriptions, secretMaker } from "./Subscriptions.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const database = yield* Database
    return Webhooks.of({
      ...makeSubscriptions(database, { allowed: yield* allowedHosts, newSecret: yield* secretMaker(sealing) }),
      ...makeDeliveryLog(database),
      reseal: makeReseal(database, Effect.orDie(sealing))
    })
  })
)
