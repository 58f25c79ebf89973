import { Effect, Function as Fn } from "effect"
import { type AppId, SECRET_OVERLAP } from "../../domain/access/Apps.ts"
import { Developers } from "../../domain/access/Developers.ts"
import type { MerchantId } from "../../domain/Actor.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import * as Rpcs from "../groups/Apps.ts"
import * as WebhookRpcs from "../groups/AppWebhooks.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { encoded, page } from "./StoredJson.ts"
import { makeAccountWrites, readAccount } from "./AccountHandlers.ts"

export const makeAppProcedures = Effect.gen(function* () {
  const developers = yield* Developers
  const webhooks = yield* Webhooks
  const { write, writeSecret } = yield* makeAccountWrites

  /** What `work` tells of an app, to whom it belongs. */
  const ofOwn = <A, E>(developer: MerchantId, app: AppId, work: Effect.Effect<A, E>) =>
    Effect.andThen(developers.requireOwn(developer, app), work)

  return {
    "apps.list": readAccount(Rpcs.listApps, (payload, { id }) => developers.list(id, pageRequestOf(payload)), page),
    "apps.get": readAccount(Rpcs.getApp, (payload, { id }) => developers.get(id, payload.id), Fn.identity),
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
    "apps.installations": readAccount(
      Rpcs.listAppInstallations,
      (payload, { id }) => developers.installations(id, payload.id, pageRequestOf(payload)),
      page
    ),

    "appWebhooks.get": readAccount(
      WebhookRpcs.getAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, webhooks.show(payload.id)),
      encoded(WebhookRpcs.getAppWebhook)
    ),
    "appWebhooks.set": writeSecret(WebhookRpcs.setAppWebhook, "secret", ({ id: app, kinds, url }, { id }) =>
      developers.setWebhook(id, app, { url, kinds })
    ),
    "appWebhooks.rotateSecret": writeSecret(
      WebhookRpcs.rotateAppWebhookSecret,
      "secret",
      ({ before, id: app }, { id }) => developers.rotateWebhookSecret(id, app, before)
    ),

    // Each is the same when it is done twice, and a test is sent each time: none of them takes a key.
    "appWebhooks.pause": readAccount(
      WebhookRpcs.pauseAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, Effect.as(webhooks.pause(payload.id), {})),
      encoded(WebhookRpcs.pauseAppWebhook)
    ),
    "appWebhooks.resume": readAccount(
      WebhookRpcs.resumeAppWebhook,
      ({ id: app, missed }, { id }) => ofOwn(id, app, webhooks.resume(app, missed)),
      encoded(WebhookRpcs.resumeAppWebhook)
    ),
    "appWebhooks.test": readAccount(
      WebhookRpcs.testAppWebhook,
      (payload, { id }) => ofOwn(id, payload.id, webhooks.test(payload.id, id)),
      encoded(WebhookRpcs.testAppWebhook)
    ),

    "appDeliveries.list": readAccount(
      WebhookRpcs.listAppDeliveries,
      (payload, { id }) =>
        ofOwn(id, payload.id, webhooks.deliveries(payload.id, { ...pageRequestOf(payload), state: payload.state })),
      encoded(WebhookRpcs.listAppDeliveries)
    ),
    "appDeliveries.attempts": readAccount(
      WebhookRpcs.listAppAttempts,
      ({ eventId, id: app }, { id }) => ofOwn(id, app, webhooks.attempts(app, eventId)),
      encoded(WebhookRpcs.listAppAttempts)
    ),
    "appDeliveries.redeliver": write(WebhookRpcs.redeliverToApp, ({ eventId, id: app }, { id }) =>
      developers.redeliver(id, app, eventId)
    )
  }
})
