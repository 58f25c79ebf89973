import { Schema, Struct } from "effect"
import { AppId, type AppNotFound } from "../access/Apps.ts"
import { listOf } from "../Bounded.ts"
import { EventId, EventKind } from "../Events.ts"
import type { PageRequest } from "../Page.ts"
import { storedList } from "../StoredList.ts"

/** Hours that an endpoint may fail without one success before it is paused. */
export const FAILING_HOURS = 120

/** Hours that the secret before still signs, once there is a new one. */
export const OVERLAP_HOURS = 24

/** Days that a finished delivery and its attempts are kept, and one that a paused webhook misses after it was due. */
export const LOG_DAYS = 30

/** Why a webhook receives nothing: it was told so, its endpoint answered 410, or it failed for too long. */
export const PauseReason = Schema.Literals(["operator", "gone", "failing"])

/** The kinds of event that a webhook is told of. */
export const WantedKinds = listOf(EventKind, EventKind.literals.length)
  .annotate({ description: "Which events it wants, of the stores that let it read what they tell of" })
  .check(Schema.makeFilter((kinds) => kinds.length > 0, { message: "must name a kind of event" }))

/** An app's webhook as it stands. Its secrets are shown only when they are made. */
export const Webhook = Schema.Struct({
  appId: Schema.toType(AppId),
  url: Schema.String,
  kinds: storedList(EventKind),
  /** How many secrets sign: two while one is being replaced. */
  liveSecrets: Schema.Int,
  failingSince: Schema.NullOr(Schema.Date),
  pausedAt: Schema.NullOr(Schema.Date),
  pauseReason: Schema.NullOr(PauseReason),
  /** Deliveries that are due or will be; while the webhook is paused these are what it misses. */
  pending: Schema.Int,
  oldestPendingAt: Schema.NullOr(Schema.Date),
  /** From when on the oldest of them are deleted unsent, unless it is resumed before; null while it is not paused. */
  pendingDroppedFrom: Schema.NullOr(Schema.Date),
  dead: Schema.Int
})
export type Webhook = typeof Webhook.Type

/**
 * Where a delivery stands. `pending`: it is due, or will be. `delivered`: a 2xx came. `dead`: its last attempt failed.
 * `skipped`: it was missed while the webhook was paused, and not wanted. `canceled`: its installation is gone. `held`: it
 * waits until the store's members let it be sent.
 */
export const DeliveryState = Schema.Literals(["pending", "delivered", "dead", "skipped", "canceled", "held"])
export type DeliveryState = typeof DeliveryState.Type

/** One event on its way to one installation. */
export const Delivery = Schema.Struct({
  eventId: Schema.toType(EventId),
  kind: EventKind,
  storeId: Schema.String,
  installationId: Schema.String,
  state: DeliveryState,
  attempts: Schema.Int,
  createdAt: Schema.Date,
  /** When it is tried again; null when it is finished. */
  nextAt: Schema.NullOr(Schema.Date),
  finishedAt: Schema.NullOr(Schema.Date)
})
export type Delivery = typeof Delivery.Type

/** Which deliveries are asked for, the newest first. */
export interface DeliveriesAsked extends PageRequest<EventId> {
  readonly state?: DeliveryState | undefined
}

/** Deliveries that are looked at for a page of those that are in one state. */
export const MAX_LOOKED = 10_000

/** One request of a delivery and what came of it. */
export const Attempt = Schema.Struct({
  installationId: Schema.String,
  attempt: Schema.Int,
  startedAt: Schema.Date,
  durationMillis: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(Schema.Int),
  /** The first 16 KiB of the answer's body, read as UTF-8. */
  answer: Schema.NullOr(Schema.String),
  /** Why there was no complete answer. */
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type

/** What the event of a test is called, which is of no store: receivers take it for one of a kind that they do not know. */
export const TEST_KIND = "webhook.test.v1"

/** Tests in 15 minutes: of one account, and to one host, whoever asks. */
export const TEST_LIMITS = { account: 20, host: 60 }

/** What came of a request that only tests whether a webhook is reached. */
export const TestDelivery = Schema.Struct({
  eventId: Schema.toType(EventId),
  ...Attempt.mapFields(Struct.pick(["durationMillis", "status", "answer", "error"])).fields
})
export type TestDelivery = typeof TestDelivery.Type

export class TooManyTests extends Schema.TaggedError<TooManyTests>()("TooManyTests", {}) {
  override get message() {
    return "Too many tests of webhooks; wait 15 minutes, or change something in a store that the app is installed on"
  }
}

export class WebhookUrlRefused extends Schema.TaggedError<WebhookUrlRefused>()("WebhookUrlRefused", {
  reason: Schema.String
}) {
  override get message() {
    return `The webhook URL ${this.reason}`
  }
}

export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", { appId: AppId }) {
  override get message() {
    return `The app ${this.appId} has no webhook; give it one with: apps webhook set --app ${this.appId} --url … --event …, or appWebhooks.set`
  }
}

/** Why there is no webhook of an app to look at or to change. */
export type NoWebhook = AppNotFound | WebhookNotFound

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  appId: AppId,
  eventId: EventId
}) {
  override get message() {
    return `The app ${this.appId} was sent no event ${this.eventId} in the last ${LOG_DAYS} days`
  }
}
