import { Effect } from "effect"
import { type AppId, SECRET_OVERLAP } from "../../domain/access/Apps.ts"
import { Developers } from "../../domain/access/Developers.ts"
import type { MerchantId } from "../../domain/Actor.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import * as Rpcs from "../Developers.ts"
import { asItIs, encoded, page } from "./Answers.ts"
import { requestOf } from "./Asked.ts"
import { makeOwnWrites, readOwn } from "./Own.ts"
import type { ProceduresOf } from "./Procedure.ts"

export const makeDeveloperProcedures = Effect.gen(function* () {
  const developers = yield* Developers
  const webhooks = yield* Webhooks
  const { write, writeSecret } = yield* makeOwnWrites

  /** What `work` tells of an app, to whom it belongs. */
  const ofOwn = <A, E>(developer: MerchantId, app: AppId, work: Effect.Effect<A, E>) =>
    Effect.andThen(developers.requireOwn(developer, app), work)

  return {
    "apps.list": readOwn(Rpcs.listApps, (payload, { id }) => developers.list(id, requestOf(payload)), page),
    "apps.get": readOwn(Rpcs.getApp, (payload, { id }) => developers.get(id, payload.id), asItIs),
    "apps.create": writeSecret(Rpcs.createApp, "clientSecret", ({ app }, { id }) =>
      Effect.succeed(developers.create(id, app))
    ),
    "apps.update": write(Rpcs.updateApp, (payload, { id }) => developers.update(id, payload.id, payload.patch)),
    "apps.rotateSecret": writeSecret(
      Rpcs.rotateClientSecret,
      "clientSecret",
      ({ id: app, overlapHours = SECRET_OVERLAP.usual }, { id }) =>
        Effect.succeed(developers.rotateSecret(id, app, overlapHours))
    ),
    "apps.installations": readOwn(
      Rpcs.listAppInstallations,
      (payload, { id }) => developers.installations(id, payload.id, requestOf(payload)),
      page
    ),

    "appWebhooks.get": readOwn(
      Rpcs.getAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, webhooks.show(payload.id)),
      encoded(Rpcs.getAppWebhook)
    ),
    "appWebhooks.set": writeSecret(Rpcs.setAppWebhook, "secret", ({ id: app, kinds, url }, { id }) =>
      developers.setWebhook(id, app, { url, kinds })
    ),
    "appWebhooks.rotateSecret": writeSecret(Rpcs.rotateAppWebhookSecret, "secret", ({ before, id: app }, { id }) =>
      developers.rotateWebhookSecret(id, app, before)
    ),

    // Each is the same when it is done twice, and a test is sent each time: none of them takes a key.
    "appWebhooks.pause": readOwn(
      Rpcs.pauseAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, Effect.as(webhooks.pause(payload.id), {})),
      encoded(Rpcs.pauseAppWebhook)
    ),
    "appWebhooks.resume": readOwn(
      Rpcs.resumeAppWebhook,
      ({ id: app, missed }, { id }) => ofOwn(id, app, webhooks.resume(app, missed)),
      encoded(Rpcs.resumeAppWebhook)
    ),
    "appWebhooks.test": readOwn(
      Rpcs.testAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, webhooks.test(payload.id, id)),
      encoded(Rpcs.testAppWebhook)
    ),

    "appDeliveries.list": readOwn(
      Rpcs.listAppDeliveries,
      (payload, { id }) =>
        ofOwn(id, payload.id, webhooks.deliveries(payload.id, { ...requestOf(payload), state: payload.state })),
      encoded(Rpcs.listAppDeliveries)
    ),
    "appDeliveries.attempts": readOwn(
      Rpcs.listAppAttempts,
      ({ eventId, id: app }, { id }) => ofOwn(id, app, webhooks.attempts(app, eventId)),
      encoded(Rpcs.listAppAttempts)
    ),
    "appDeliveries.redeliver": write(Rpcs.redeliverToApp, ({ eventId, id: app }, { id }) =>
      developers.redeliver(id, app, eventId)
    )
  } satisfies ProceduresOf<typeof Rpcs.AppRpcs | typeof Rpcs.AppWebhookRpcs | typeof Rpcs.AppDeliveryRpcs>
})
