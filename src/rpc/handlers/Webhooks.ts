import { Effect, Function as Fn } from "effect"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import * as Rpcs from "../groups/Webhooks.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { page } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time))

export const makeWebhookProcedures = Effect.gen(function* () {
  const webhooks = yield* StoreWebhooks
  const { inStore, write } = yield* makeProcedures

  return {
    "webhooks.get": inStore(
      Rpcs.getWebhook,
      ({ payload }) => webhooks.show(payload.storeId, payload.installationId),
      Fn.identity
    ),
    "webhooks.pause": write(
      Rpcs.pauseWebhook,
      ({ installationId, storeId }) => webhooks.hold(storeId, installationId),
      Fn.identity
    ),
    "webhooks.resume": write(
      Rpcs.resumeWebhook,
      ({ installationId, storeId }) => webhooks.release(storeId, installationId),
      Fn.identity
    ),

    "deliveries.list": inStore(
      Rpcs.listDeliveries,
      ({ payload }) =>
        webhooks.deliveries(payload.storeId, payload.installationId, {
          ...pageRequestOf(payload),
          state: payload.state,
          since: dateOf(payload.since),
          until: dateOf(payload.until)
        }),
      page
    ),
    "deliveries.get": inStore(
      Rpcs.getDelivery,
      ({ payload }) => webhooks.delivery(payload.storeId, payload.installationId, payload.eventId),
      Fn.identity
    ),
    "deliveries.redeliver": write(
      Rpcs.redeliver,
      ({ eventId, installationId, storeId }) => webhooks.redeliver(storeId, installationId, eventId),
      Fn.identity
    )
  }
})
