import { Effect, Option } from "effect"
import { Billing } from "../../domain/billing/Billing.ts"
import * as Rpcs from "../groups/Billing.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { encoded, page } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeBillingProcedures = Effect.gen(function* () {
  const billing = yield* Billing
  const { inStore, write } = yield* makeProcedures

  return {
    "billing.plans": inStore(
      Rpcs.listAppPlans,
      ({ payload }) => billing.plans(payload.storeId, payload.installationId),
      encoded(Rpcs.listAppPlans)
    ),
    "billing.current": inStore(
      Rpcs.currentSubscription,
      ({ payload: { installationId: id, storeId } }) => Effect.map(billing.current({ id, storeId }), Option.getOrNull),
      encoded(Rpcs.currentSubscription)
    ),
    "billing.subscriptions": inStore(
      Rpcs.listSubscriptions,
      ({ payload }) => billing.subscriptions(payload.storeId, pageRequestOf(payload)),
      page
    ),
    "billing.subscribe": write(
      Rpcs.subscribe,
      ({ installationId, planId, storeId }) => billing.subscribe(storeId, installationId, planId),
      encoded(Rpcs.subscribe)
    ),
    "billing.change": write(
      Rpcs.changeSubscription,
      ({ installationId, planId, storeId }) => billing.change(storeId, installationId, planId),
      encoded(Rpcs.changeSubscription)
    ),
    "billing.cancel": write(
      Rpcs.cancelSubscription,
      ({ installationId, storeId }) => billing.cancel(storeId, installationId),
      encoded(Rpcs.cancelSubscription)
    )
  }
})
