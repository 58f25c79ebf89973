import { Effect, Layer } from "effect"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { Database } from "../database/Postgres.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import { makeDeliveryLog } from "./DeliveryLog.ts"
import { makeReseal } from "./Reseal.ts"
import { sealing } from "./SecretKeys.ts"
import { makeSubscriptions } from "./Subscriptions.ts"

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const database = yield* Database
    // Asked for when a secret is made: most commands of operators make none, and need no key.
    const keys = yield* Effect.cached(Effect.orDie(sealing))
    return Webhooks.of({
      ...makeSubscriptions(database, { allowed: yield* allowedHosts, sealing: keys }),
      ...makeDeliveryLog(database),
      reseal: makeReseal(database, keys)
    })
  })
)
