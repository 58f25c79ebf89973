import { Effect, Function as Fn } from "effect"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import * as Rpcs from "../groups/Webhooks.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { pageJson } from "./StoredJson.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time))

export const makeWebhookHandlers = Effect.gen(function* () {
  const webhooks = yield* StoreWebhooks
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "webhooks.get": storeHandler(
      Rpcs.getWebhook,
      ({ payload }) => webhooks.show(payload.storeId, payload.installationId),
      Fn.identity
    ),
    "webhooks.pause": writeHandler(
      Rpcs.pauseWebhook,
      ({ installationId, storeId }) => webhooks.hold(storeId, installationId),
      Fn.identity
    ),
    "webhooks.resume": writeHandler(
      Rpcs.resumeWebhook,
      ({ installationId, storeId }) => webhooks.release(storeId, installationId),
      Fn.identity
    ),

    "deliveries.list": storeHandler(
      Rpcs.listDeliveries,
      ({ payload }) =>
        webhooks.deliveries(payload.storeId, payload.installationId, {
          ...toPageRequest(payload),
          state: payload.state,
          since: dateOf(payload.since),
          until: dateOf(payload.until)
        }),
      pageJson
    ),
    "deliveries.get": storeHandler(
      Rpcs.getDelivery,
      ({ payload }) => webhooks.delivery(payload.storeId, payload.installationId, payload.eventId),
      Fn.identity
    ),
    "deliveries.redeliver": writeHandler(
      Rpcs.redeliver,
      ({ eventId, installationId, storeId }) => webhooks.redeliver(storeId, installationId, eventId),
      Fn.identity
    )
  }
})
