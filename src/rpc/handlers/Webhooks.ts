import { Effect } from "effect"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import * as Rpcs from "../Webhooks.ts"
import { asItIs, page } from "./Answers.ts"
import { requestOf } from "./Asked.ts"
import { makeProcedures, type ProceduresOf } from "./Procedure.ts"

const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time))

export const makeWebhookProcedures = Effect.gen(function* () {
  const webhooks = yield* StoreWebhooks
  const { inStore, write } = yield* makeProcedures

  return {
    "webhooks.get": inStore(
      Rpcs.getWebhook,
      ({ payload }) => webhooks.show(payload.storeId, payload.installationId),
      asItIs
    ),
    "webhooks.pause": write(
      Rpcs.pauseWebhook,
      ({ installationId, storeId }) => webhooks.hold(storeId, installationId),
      asItIs
    ),
    "webhooks.resume": write(
      Rpcs.resumeWebhook,
      ({ installationId, storeId }) => webhooks.release(storeId, installationId),
      asItIs
    ),

    "deliveries.list": inStore(
      Rpcs.listDeliveries,
      ({ payload }) =>
        webhooks.deliveries(payload.storeId, payload.installationId, {
          ...requestOf(payload),
          state: payload.state,
          since: dateOf(payload.since),
          until: dateOf(payload.until)
        }),
      page
    ),
    "deliveries.get": inStore(
      Rpcs.getDelivery,
      ({ payload }) => webhooks.delivery(payload.storeId, payload.installationId, payload.eventId),
      asItIs
    ),
    "deliveries.redeliver": write(
      Rpcs.redeliver,
      ({ eventId, installationId, storeId }) => webhooks.redeliver(storeId, installationId, eventId),
      asItIs
    )
  } satisfies ProceduresOf<typeof Rpcs.WebhookRpcs | typeof Rpcs.DeliveryRpcs>
})
