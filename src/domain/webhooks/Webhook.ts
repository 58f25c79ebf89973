import { Schema, Struct } from "effect"
import { AppId } from "../access/Ids.ts"
import type { AppNotFound } from "../access/Apps.ts"
import { boundedArray } from "../json/Bounded.ts"
import { EventId, EventKind, StoredEventKind } from "../Events.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId } from "../Store.ts"
import { storedList } from "../json/StoredList.ts"

/** Hours of failures without a success after which an endpoint is paused. */
export const FAILING_HOURS = 120

/** Hours for which a replaced secret still signs. */
export const OVERLAP_HOURS = 24

/** Reason for a pause: requested, the endpoint responded with 410, or it failed for {@link FAILING_HOURS} hours. */
export const PauseReason = Schema.Literals(["operator", "gone", "failing"])

/** Event kinds that a webhook receives. */
export const SubscribedKinds = boundedArray(EventKind, EventKind.literals.length)
  .annotate({ description: "Event kinds to receive, from stores that granted the scope for the kind" })
  .check(Schema.makeFilter((kinds) => kinds.length > 0, { message: "must contain at least one event kind" }))

/** Webhook of an app. Secrets are shown only on creation. */
export const Webhook = Schema.Struct({
  appId: Schema.toType(AppId),
  url: Schema.String,
  kinds: storedList(EventKind),
  /** Number of signing secrets: two during a rotation. */
  liveSecrets: Schema.Int,
  failingSince: Schema.NullOr(Schema.Date),
  /** Time of the first request to the URL; null if there was none. */
  calledAt: Schema.NullOr(Schema.Date),
  /** Time of the last test, if it failed and no delivery succeeded since. A failed test pauses nothing. */
  testFailedAt: Schema.NullOr(Schema.Date),
  pausedAt: Schema.NullOr(Schema.Date),
  pauseReason: Schema.NullOr(PauseReason),
  /** Number of deliveries that are due or scheduled, including those that a paused webhook misses. */
  pending: Schema.Int,
  oldestPendingAt: Schema.NullOr(Schema.Date),
  /** Time from which the oldest of them are deleted unsent unless the webhook is resumed; null if it is not paused. */
  pendingDroppedFrom: Schema.NullOr(Schema.Date),
  dead: Schema.Int
})
export type Webhook = typeof Webhook.Type

/**
 * State of a delivery.
 *
 * - `pending`: due or scheduled.
 * - `delivered`: a 2xx response was received.
 * - `dead`: the last attempt failed.
 * - `skipped`: missed during a pause and dropped on resume.
 * - `canceled`: the installation was removed.
 * - `held`: waits until store members release it.
 */
export const DeliveryState = Schema.Literals(["pending", "delivered", "dead", "skipped", "canceled", "held"])
export type DeliveryState = typeof DeliveryState.Type

/** Delivery of one event to one installation. */
export const Delivery = Schema.Struct({
  eventId: Schema.toType(EventId),
  kind: StoredEventKind,
  storeId: Schema.String,
  installationId: Schema.String,
  state: DeliveryState,
  attempts: Schema.Int,
  createdAt: Schema.Date,
  /** Time of the next attempt; null if the delivery is finished. */
  nextAt: Schema.NullOr(Schema.Date),
  finishedAt: Schema.NullOr(Schema.Date)
})
export type Delivery = typeof Delivery.Type

/** Filter and page of a list of deliveries, newest first. */
export interface DeliveriesFilter extends PageRequest<EventId> {
  readonly state?: DeliveryState | undefined
  /** Only deliveries of this store. */
  readonly store?: StoreId | undefined
}

/** Maximum number of deliveries examined for a page filtered by state. */
export const MAX_EXAMINED_DELIVERIES = 10_000

/** Request of a delivery and its result. */
export const Attempt = Schema.Struct({
  installationId: Schema.String,
  attempt: Schema.Int,
  startedAt: Schema.Date,
  durationMillis: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(Schema.Int),
  /** First 16 KiB of the response body, decoded as UTF-8. */
  answer: Schema.NullOr(Schema.String),
  /** Reason why no complete response was received. */
  error: Schema.NullOr(Schema.String)
})
export type Attempt = typeof Attempt.Type

/** Kind of a test event, which belongs to no store. Receivers handle it as an unknown kind. */
export const TEST_KIND = "webhook.test.v1"

/** Maximum number of tests in 15 minutes: of one account, and to one host from all accounts. */
export const TEST_LIMITS = { account: 20, host: 60 }

/** Result of a test request. */
export const TestDelivery = Schema.Struct({
  eventId: Schema.toType(EventId),
  ...Attempt.mapFields(Struct.pick(["durationMillis", "status", "answer", "error"])).fields
})
export type TestDelivery = typeof TestDelivery.Type

export class TooManyTests extends Schema.TaggedError<TooManyTests>()("TooManyTests", {}) {
  override get message() {
    return "Too many webhook tests; wait 15 minutes, or change a product in a store where the app is installed"
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
    return `App ${this.appId} has no webhook; set its URL and events first`
  }
}

/** Errors of methods that require a webhook. */
export type NoWebhook = AppNotFound | WebhookNotFound

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  appId: AppId,
  eventId: EventId
}) {
  override get message() {
    return `No delivery of event ${this.eventId} to app ${this.appId} was found; it may be too old, because deliveries are kept for a limited time`
  }
}
