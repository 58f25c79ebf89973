import { Context, type Effect, Schema } from "effect"
import { InstallationId } from "../access/Ids.ts"
import type { InstallationSuspended, InstallationNotFound } from "../access/Installations.ts"
import { Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import { EventId, EventKind, StoredEventKind } from "../Events.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { storedList } from "../json/StoredList.ts"
import type { Write } from "../Write.ts"
import { type DeliveriesFilter, type DeliveryNotFound, DeliveryState, PauseReason } from "./Webhook.ts"

/*
 * Webhooks as store members see them: the state of an app's webhook and the deliveries for the store. The URL path,
 * secrets and response bodies are visible only to the app.
 */

const When = Schema.NullOr(Timestamp)

/** Event delivery of a store to an installation. */
export const StoreWebhook = Schema.Struct({
  installationId: InstallationId,
  host: Schema.NullOr(Schema.String).annotate({ description: "Host of the webhook; null if the app has no webhook" }),
  kinds: storedList(EventKind).annotate({ description: "Event kinds that the app receives" }),
  failingSince: When.annotate({
    description: "Time since which every request to the app's endpoint has failed; null if the last one succeeded"
  }),
  calledAt: When.annotate({
    description: "Time of the first request to the app's endpoint; null if there was none"
  }),
  testFailedAt: When.annotate({
    description: "Time of the app's last test, if it failed and no delivery succeeded since; otherwise null"
  }),
  pausedAt: When.annotate({
    description: "Time since which the webhook is paused for all stores; null if it is not paused"
  }),
  pauseReason: Schema.NullOr(PauseReason),
  heldSince: When.annotate({
    description: "Time since which a store member holds the deliveries; null if they are not held"
  })
})

/** Delivery of an event of a store to an installation. */
export const StoreDelivery = Schema.Struct({
  installationId: InstallationId,
  eventId: EventId,
  kind: StoredEventKind,
  state: DeliveryState,
  attempts: Schema.Int.annotate({ description: "Number of requests so far" }),
  createdAt: Timestamp,
  nextAt: When.annotate({ description: "Time of the next attempt; null if there is none" }),
  finishedAt: When
})

/** Request of a delivery and its result. */
export const StoreAttempt = Schema.Struct({
  attempt: Schema.Int,
  startedAt: Timestamp,
  durationMillis: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(Schema.Int).annotate({ description: "Status of the response; null if none was complete" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Reason why no response was complete" })
})

export const StoreDeliveryDetails = Schema.Struct({
  ...StoreDelivery.fields,
  log: Schema.Array(StoreAttempt).annotate({ description: "All requests, oldest first" })
})

/** Filter and page of the deliveries of an installation, newest first. */
export interface DeliveriesRequest extends DeliveriesFilter {
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
     * examines at most `MAX_EXAMINED_DELIVERIES` deliveries.
     */
    readonly deliveries: (
      store: StoreId,
      installation: InstallationId,
      request: DeliveriesRequest
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
    /** Holds deliveries of the store. After the commit, new and due deliveries wait, each for up to `DELIVERY_DAYS`. */
    readonly hold: (store: StoreId, installation: InstallationId) => Write<JsonText, InstallationNotFound>
    /** Sends the held deliveries, with all attempts available again. */
    readonly release: (
      store: StoreId,
      installation: InstallationId
    ) => Write<JsonText, InstallationNotFound | StoreNotFound>
  }
>()("domain/StoreWebhooks") {}
