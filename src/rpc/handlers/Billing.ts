import { Effect, Option } from "effect"
import { Billing } from "../../domain/billing/Billing.ts"
import * as Rpcs from "../groups/Billing.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { encodeSuccess, pageJson } from "./StoredJson.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

export const makeBillingHandlers = Effect.gen(function* () {
  const billing = yield* Billing
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "billing.plans": storeHandler(
      Rpcs.listAppPlans,
      ({ payload }) => billing.plans(payload.storeId, payload.installationId),
      encodeSuccess(Rpcs.listAppPlans)
    ),
    "billing.current": storeHandler(
      Rpcs.currentSubscription,
      ({ payload: { installationId: id, storeId } }) => Effect.map(billing.current({ id, storeId }), Option.getOrNull),
      encodeSuccess(Rpcs.currentSubscription)
    ),
    "billing.subscriptions": storeHandler(
      Rpcs.listSubscriptions,
      ({ payload }) => billing.subscriptions(payload.storeId, toPageRequest(payload)),
      pageJson
    ),
    "billing.subscribe": writeHandler(
      Rpcs.subscribe,
      ({ installationId, planId, storeId }) => billing.subscribe(storeId, installationId, planId),
      encodeSuccess(Rpcs.subscribe)
    ),
    "billing.change": writeHandler(
      Rpcs.changeSubscription,
      ({ installationId, planId, storeId }) => billing.change(storeId, installationId, planId),
      encodeSuccess(Rpcs.changeSubscription)
    ),
    "billing.cancel": writeHandler(
      Rpcs.cancelSubscription,
      ({ installationId, storeId }) => billing.cancel(storeId, installationId),
      encodeSuccess(Rpcs.cancelSubscription)
    )
  }
})
