import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AppNotFound } from "../../domain/access/Apps.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { EventId, EventKind } from "../../domain/Events.ts"
import {
  Attempt,
  Delivery,
  DeliveryNotFound,
  DeliveryState,
  OVERLAP_HOURS,
  SubscribedKinds,
  TestDelivery,
  TooManyTests,
  Webhook,
  WebhookNotFound,
  WebhookUrlRefused
} from "../../domain/webhooks/Webhook.ts"
import { Authentication } from "../Authentication.ts"
import { appFields, secretSchema } from "./Apps.ts"
import { accountKeyedFields, accountPageFields, AccountWriteError, SparsePage } from "./CommonSchemas.ts"

const NullableDate = Schema.NullOr(Schema.DateFromString)

const signingSecret = secretSchema("Secret that signs deliveries, with the prefix whsec_")

/** Reads the webhook of an app and its health. */
export const getAppWebhook = Rpc.make("appWebhooks.get", {
  payload: appFields,
  success: Schema.Struct({
    ...Webhook.fields,
    failingSince: NullableDate,
    pausedAt: NullableDate,
    oldestPendingAt: NullableDate,
    pendingDroppedFrom: NullableDate
  }),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** Sets URL and events of a webhook. The first call generates the signing secret; later calls keep it. */
export const setAppWebhook = Rpc.make("appWebhooks.set", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    url: Schema.String.annotate({
      description: "URL that receives the events: https, at a public address, such as https://app.example.com/hooks"
    }),
    kinds: SubscribedKinds
  },
  success: Schema.Struct({ url: Schema.String, kinds: Schema.Array(EventKind), secret: signingSecret }),
  error: Schema.Union([AccountWriteError, AppNotFound, WebhookUrlRefused])
})

/** Generates a new signing secret. */
export const rotateAppWebhookSecret = Rpc.make("appWebhooks.rotateSecret", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    before: Schema.Literals(["overlap", "end"]).annotate({
      description: `overlap: the previous secret also signs deliveries for ${OVERLAP_HOURS} hours. end: it stops at once; use this if it leaked`,
      message: "must be overlap or end"
    })
  },
  success: Schema.Struct({ previousUntil: Schema.NullOr(Schema.DateFromString), secret: signingSecret }),
  error: Schema.Union([AccountWriteError, AppNotFound, WebhookNotFound])
})

/** Pauses a webhook. Deliveries are queued for `DELIVERY_DAYS`. Idempotent, so it takes no key. */
export const pauseAppWebhook = Rpc.make("appWebhooks.pause", {
  payload: appFields,
  success: Schema.Struct({}),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** Resumes a webhook and clears its failures. Returns number and time span of the queued deliveries. */
export const resumeAppWebhook = Rpc.make("appWebhooks.resume", {
  payload: {
    ...appFields,
    missed: Schema.Literals(["deliver", "skip"]).annotate({
      description: "Queued deliveries. deliver: all are due now. skip: none is sent",
      message: "must be deliver or skip"
    })
  },
  success: Schema.Struct({ count: Schema.Int, since: NullableDate, until: NullableDate }),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/**
 * Sends one signed `webhook.test.v1` event, which belongs to no store, and returns the response. It does not appear in
 * deliveries and does not affect the health of the webhook.
 */
export const testAppWebhook = Rpc.make("appWebhooks.test", {
  payload: appFields,
  success: TestDelivery,
  error: Schema.Union([AppNotFound, WebhookNotFound, TooManyTests])
})

/** Webhooks of apps that the caller develops. */
export class AppWebhookRpcs extends RpcGroup.make(
  getAppWebhook,
  setAppWebhook,
  rotateAppWebhookSecret,
  pauseAppWebhook,
  resumeAppWebhook,
  testAppWebhook
).middleware(Authentication) {}

const AppDelivery = Schema.Struct({
  ...Delivery.fields,
  createdAt: Schema.DateFromString,
  nextAt: NullableDate,
  finishedAt: NullableDate
})

/** Lists deliveries of all stores to an app, newest first. */
export const listAppDeliveries = Rpc.make("appDeliveries.list", {
  payload: {
    ...accountPageFields(EventId),
    ...appFields,
    state: optional(DeliveryState.annotate({ description: "Only deliveries in this state" }))
  },
  success: SparsePage(AppDelivery, EventId),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** Lists the attempts of a delivery and their responses, oldest first. */
export const listAppAttempts = Rpc.make("appDeliveries.attempts", {
  payload: { ...appFields, eventId: EventId },
  success: Schema.Array(Schema.Struct({ ...Attempt.fields, startedAt: Schema.DateFromString })),
  error: Schema.Union([AppNotFound, DeliveryNotFound])
})

/** Sends an event again, whatever the state of its delivery. A request in progress completes. */
export const redeliverToApp = Rpc.make("appDeliveries.redeliver", {
  payload: { ...accountKeyedFields, ...appFields, eventId: EventId },
  success: AppDelivery,
  error: Schema.Union([AccountWriteError, AppNotFound, DeliveryNotFound])
})

/** Deliveries to apps that the caller develops, from all stores. */
export class AppDeliveryRpcs extends RpcGroup.make(listAppDeliveries, listAppAttempts, redeliverToApp).middleware(
  Authentication
) {}
