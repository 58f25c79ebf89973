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
 * What the members of a store see of webhooks: how one stands that an app has for all of its stores, and what it was sent of
 * this one. The path of its URL, its secrets and what it answered are the app's own.
 */

const When = Schema.NullOr(Timestamp)

/** How events of a store reach an installation. */
export const StoreWebhook = Schema.Struct({
  installationId: InstallationId,
  host: Schema.NullOr(Schema.String).annotate({ description: "Where they are sent; null where the app wants none" }),
  kinds: storedList(EventKind).annotate({ description: "The kinds of event that the app wants" }),
  failingSince: When.annotate({ description: "Since when the app's endpoint fails without one success" }),
  pausedAt: When.annotate({ description: "When it was paused for all stores: it receives nothing" }),
  pauseReason: Schema.NullOr(PauseReason),
  heldSince: When.annotate({ description: "Since when a member of the store lets its deliveries wait" })
})

/** An event of a store on its way to an installation. */
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

/** One request of a delivery, and what came of it. */
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

/** Which deliveries of an installation are asked for, the newest first. */
export interface DeliveriesRequest extends DeliveriesAsked {
  /** Of events from this time on, and from before that one. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** The webhooks of the apps on a store, for its members. Each answers the JSON of what stands above. */
export class StoreWebhooks extends Context.Service<
  StoreWebhooks,
  {
    readonly show: (store: StoreId, installation: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
    /** A page may hold few of a state, or none, and have a further one: so many are looked at as `MAX_LOOKED`. */
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
    /** Sends an event once more, whatever became of it; a request that is under way is left to end. */
    readonly redeliver: (
      store: StoreId,
      installation: InstallationId,
      event: EventId
    ) => Write<JsonText, InstallationNotFound | InstallationSuspended | DeliveryNotFound>
    /** From the commit on, what happens in the store waits, and so does what is due: each for 30 days. */
    readonly hold: (store: StoreId, installation: InstallationId) => Write<JsonText, InstallationNotFound>
    /** Sends what waits, with every attempt ahead of it. */
    readonly release: (
      store: StoreId,
      installation: InstallationId
    ) => Write<JsonText, InstallationNotFound | StoreNotFound>
  }
>()("domain/StoreWebhooks") {}
