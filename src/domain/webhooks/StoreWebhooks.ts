import { Context, type Effect, Schema } from "effect"
import { InstallationId, type InstallationSuspended, type InstallationNotFound } from "../access/Installations.ts"
import { Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import { EventId, EventKind } from "../Events.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { storedList } from "../StoredList.ts"
import type { Write } from "../Write.ts"
import { type DeliveriesAsked, type DeliveryNotFound, DeliveryState, PauseReason } from "./Webhook.ts"

/*
 * Webhooks as store members see them: the state of an app's webhook and the deliveries for the store. The URL path,
 * secrets and response bodies are visible only to the app.
 */

const When = Schema.NullOr(Timestamp)

/** Event delivery of a store to an installation. */
export const StoreWebhook = Schema.Struct({
  installationId: InstallationId,
  host: Schema.NullOr(Schema.String).annotate({ description: "Where they are sent; null where the app wants none" }),
  kinds: storedList(EventKind).annotate({ description: "The kinds of event that the app wants" }),
  failingSince: When.annotate({ description: "Since when the app's endpoint fails without one success" }),
  pausedAt: When.annotate({ description: "When it was paused for all stores: it receives nothing" }),
  pauseReason: Schema.NullOr(PauseReason),
  heldSince: When.annotate({ description: "Since when a member of the store lets its deliveries wait" })
})

/** Delivery of an event of a store to an installation. */
export const StoreDelivery = Schema.Struct({
  installationId: InstallationId,
  eventId: EventId,
  kind: EventKind,
  state: DeliveryState,
  attempts: Schema.Int.annotate({ description: "Requests so far" }),
  createdAt: Timestamp,
  nextAt: When.annotate({ description: "When it is tried next; null when it is not" }),
  finishedAt: When
})

/** Request of a delivery and its result. */
export const StoreAttempt = Schema.Struct({
  attempt: Schema.Int,
  startedAt: Timestamp,
  durationMillis: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(Schema.Int).annotate({ description: "Of the answer; null where none came whole" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why no answer came whole" })
})

export const StoreDeliveryDetails = Schema.Struct({
  ...StoreDelivery.fields,
  log: Schema.Array(StoreAttempt).annotate({ description: "Every request, the first one first" })
})

/** Filter and page of the deliveries of an installation, newest first. */
export interface DeliveriesRequest extends DeliveriesAsked {
  /** Start (inclusive) and end (exclusive) of the event times. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** Webhooks of the apps on a store, for its members. Methods return the JSON of the schemas above. */
export class StoreWebhooks extends Context.Service<
  StoreWebhooks,
  {
    readonly show: (store: StoreId, installation: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
    /**
     * Lists deliveries. A page filtered by state can be short or empty and still have a next page, because each page
     * examines at most `MAX_LOOKED` deliveries.
     */
    readonly deliveries: (
      store: StoreId,
      installation: InstallationId,
      asked: DeliveriesRequest
    ) => Effect.Effect<DocumentPage<EventId>, InstallationNotFound>
    readonly delivery: (
      store: StoreId,
      installation: InstallationId,
      event: EventId
    ) => Effect.Effect<JsonText, InstallationNotFound | DeliveryNotFound>
    /** Sends an event again, whatever its state. A running request is not interrupted. */
    readonly redeliver: (
      store: StoreId,
      installation: InstallationId,
      event: EventId
    ) => Write<JsonText, InstallationNotFound | InstallationSuspended | DeliveryNotFound>
    /** Holds deliveries of the store. After the commit, new and due deliveries wait, each for up to 30 days. */
    readonly hold: (store: StoreId, installation: InstallationId) => Write<JsonText, InstallationNotFound>
    /** Sends the held deliveries, with all attempts available again. */
    readonly release: (
      store: StoreId,
      installation: InstallationId
    ) => Write<JsonText, InstallationNotFound | StoreNotFound>
  }
>()("domain/StoreWebhooks") {}
