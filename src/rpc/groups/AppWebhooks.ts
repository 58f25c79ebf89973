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
import { appFields, shownOnce } from "./Apps.ts"
import { accountKeyedFields, accountPageFields, AccountWriteError, SparsePage } from "./CommonSchemas.ts"

const When = Schema.NullOr(Schema.DateFromString)

const signingSecret = shownOnce("What deliveries are signed with, whsec_…")

export const getAppWebhook = Rpc.make("appWebhooks.get", {
  payload: appFields,
  success: Schema.Struct({
    ...Webhook.fields,
    failingSince: When,
    pausedAt: When,
    oldestPendingAt: When,
    pendingDroppedFrom: When
  }),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** The first time makes a secret, which is shown; later the one that there is goes on. */
export const setAppWebhook = Rpc.make("appWebhooks.set", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    url: Schema.String.annotate({
      description: "Where its events are sent: https, at a public address, as in https://app.example.com/hooks"
    }),
    kinds: SubscribedKinds
  },
  success: Schema.Struct({ url: Schema.String, kinds: Schema.Array(EventKind), secret: signingSecret }),
  error: Schema.Union([AccountWriteError, AppNotFound, WebhookUrlRefused])
})

/** Makes another secret. */
export const rotateAppWebhookSecret = Rpc.make("appWebhooks.rotateSecret", {
  payload: {
    ...accountKeyedFields,
    ...appFields,
    before: Schema.Literals(["overlap", "end"]).annotate({
      description: `overlap: the one before signs along for ${OVERLAP_HOURS} hours. end: it signs nothing more, as one that leaked`,
      message: "must be overlap or end"
    })
  },
  success: Schema.Struct({ previousUntil: Schema.NullOr(Schema.DateFromString), secret: signingSecret }),
  error: Schema.Union([AccountWriteError, AppNotFound, WebhookNotFound])
})

/** Sends nothing more until it is resumed; what happens meanwhile is kept, each delivery for 30 days. Done twice it is the same. */
export const pauseAppWebhook = Rpc.make("appWebhooks.pause", {
  payload: appFields,
  success: Schema.Struct({}),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** Sends again, as if nothing had failed, whoever paused it. Answers what was missed. */
export const resumeAppWebhook = Rpc.make("appWebhooks.resume", {
  payload: {
    ...appFields,
    missed: Schema.Literals(["deliver", "skip"]).annotate({
      description: "What becomes of the deliveries that wait. deliver: all of them are due now. skip: they end",
      message: "must be deliver or skip"
    })
  },
  success: Schema.Struct({ count: Schema.Int, since: When, until: When }),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/**
 * Sends a signed event of the kind `webhook.test.v1`, which is of no store, once and now, and answers what came back. It is
 * in no log, and says nothing of how the webhook stands.
 */
export const testAppWebhook = Rpc.make("appWebhooks.test", {
  payload: appFields,
  success: TestDelivery,
  error: Schema.Union([AppNotFound, WebhookNotFound, TooManyTests])
})

/** Where the events of an app go. */
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
  nextAt: When,
  finishedAt: When
})

/** The newest first. */
export const listAppDeliveries = Rpc.make("appDeliveries.list", {
  payload: {
    ...accountPageFields(EventId),
    ...appFields,
    state: optional(DeliveryState.annotate({ description: "Only those that stand so" }))
  },
  success: SparsePage(AppDelivery, EventId),
  error: Schema.Union([AppNotFound, WebhookNotFound])
})

/** Every request that was made to tell the app of an event, and what came back, the first one first. */
export const listAppAttempts = Rpc.make("appDeliveries.attempts", {
  payload: { ...appFields, eventId: EventId },
  success: Schema.Array(Schema.Struct({ ...Attempt.fields, startedAt: Schema.DateFromString })),
  error: Schema.Union([AppNotFound, DeliveryNotFound])
})

/** Sends an event once more, whatever became of it before; a request that is under way is left to end. */
export const redeliverToApp = Rpc.make("appDeliveries.redeliver", {
  payload: { ...accountKeyedFields, ...appFields, eventId: EventId },
  success: AppDelivery,
  error: Schema.Union([AccountWriteError, AppNotFound, DeliveryNotFound])
})

/** What an app was sent, by all the stores that it is installed on. */
export class AppDeliveryRpcs extends RpcGroup.make(listAppDeliveries, listAppAttempts, redeliverToApp).middleware(
  Authentication
) {}
