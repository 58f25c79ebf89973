import { Effect, Function as Fn } from "effect"
import type { AppId, MerchantId } from "../../domain/access/Ids.ts"
import { SECRET_OVERLAP } from "../../domain/access/Apps.ts"
import { Developers } from "../../domain/access/Developers.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import * as Rpcs from "../groups/Apps.ts"
import * as WebhookRpcs from "../groups/AppWebhooks.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { encodeSuccess, pageJson } from "./StoredJson.ts"
import { makeAccountHandlerFactory, accountHandler } from "./AccountHandlerFactory.ts"

export const makeAppHandlers = Effect.gen(function* () {
  const developers = yield* Developers
  const webhooks = yield* Webhooks
  const { writeHandler, secretHandler } = yield* makeAccountHandlerFactory

  /** Runs an effect if the developer owns the app. Fails with `AppNotFound` otherwise. */
  const ifOwned = <A, E>(developer: MerchantId, app: AppId, effect: Effect.Effect<A, E>) =>
    Effect.andThen(developers.requireOwn(developer, app), effect)

  return {
    "apps.list": accountHandler(
      Rpcs.listApps,
      (payload, { id }) => developers.list(id, toPageRequest(payload)),
      pageJson
    ),
    "apps.get": accountHandler(Rpcs.getApp, (payload, { id }) => developers.get(id, payload.id), Fn.identity),
    "apps.create": secretHandler(Rpcs.createApp, "clientSecret", ({ app }, { id }) =>
      Effect.succeed(developers.create(id, app))
    ),
    "apps.update": writeHandler(Rpcs.updateApp, (payload, { id }) => developers.update(id, payload.id, payload.patch)),
    "apps.rotateSecret": secretHandler(
      Rpcs.rotateClientSecret,
      "clientSecret",
      ({ id: app, overlapHours = SECRET_OVERLAP.usual }, { id }) =>
        Effect.succeed(developers.rotateSecret(id, app, overlapHours))
    ),
    "apps.installations": accountHandler(
      Rpcs.listAppInstallations,
      (payload, { id }) => developers.installations(id, payload.id, toPageRequest(payload)),
      pageJson
    ),

    "appWebhooks.get": accountHandler(
      WebhookRpcs.getAppWebhook,
      (payload, { id }) => ifOwned(id, payload.id, webhooks.show(payload.id)),
      encodeSuccess(WebhookRpcs.getAppWebhook)
    ),
    "appWebhooks.set": secretHandler(WebhookRpcs.setAppWebhook, "secret", ({ id: app, kinds, url }, { id }) =>
      developers.setWebhook(id, app, { url, kinds })
    ),
    "appWebhooks.rotateSecret": secretHandler(
      WebhookRpcs.rotateAppWebhookSecret,
      "secret",
      ({ before, id: app }, { id }) => developers.rotateWebhookSecret(id, app, before)
    ),

    // These take no idempotency key: pause and resume are idempotent, and each test sends an event.
    "appWebhooks.pause": accountHandler(
      WebhookRpcs.pauseAppWebhook,
      (payload, { id }) => ifOwned(id, payload.id, Effect.as(webhooks.pause(payload.id), {})),
      encodeSuccess(WebhookRpcs.pauseAppWebhook)
    ),
    "appWebhooks.resume": accountHandler(
      WebhookRpcs.resumeAppWebhook,
      ({ id: app, missed }, { id }) => ifOwned(id, app, webhooks.resume(app, missed)),
      encodeSuccess(WebhookRpcs.resumeAppWebhook)
    ),
    "appWebhooks.test": accountHandler(
      WebhookRpcs.testAppWebhook,
      (payload, { id }) => ifOwned(id, payload.id, webhooks.test(payload.id, id)),
      encodeSuccess(WebhookRpcs.testAppWebhook)
    ),

    "appDeliveries.list": accountHandler(
      WebhookRpcs.listAppDeliveries,
      (payload, { id }) =>
        ifOwned(id, payload.id, webhooks.deliveries(payload.id, { ...toPageRequest(payload), state: payload.state })),
      encodeSuccess(WebhookRpcs.listAppDeliveries)
    ),
    "appDeliveries.attempts": accountHandler(
      WebhookRpcs.listAppAttempts,
      ({ eventId, id: app }, { id }) => ifOwned(id, app, webhooks.attempts(app, eventId)),
      encodeSuccess(WebhookRpcs.listAppAttempts)
    ),
    "appDeliveries.redeliver": writeHandler(WebhookRpcs.redeliverToApp, ({ eventId, id: app }, { id }, keyed) =>
      developers.redeliver(id, app, eventId, keyed)
    )
  }
})
