import { Schema, Struct } from "effect"
import type { Actor } from "./Actor.ts"
import type { JsonText } from "./json/Document.ts"
import type { InstallationId } from "./access/Ids.ts"
import type { Scope } from "./access/Scope.ts"
import type { StoreId } from "./Store.ts"
import { Uuid } from "./Uuid.ts"

export const EventId = Uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

interface EventFacts {
  /** Name of its type in the SDK, and of its request in the OpenAPI document. */
  readonly name: string
  /** Member of `data` that contains the resource. */
  readonly resource: string
  /** Scope that an installation needs to receive the event. */
  readonly scope: Scope
}

/** Facts of each event kind (contract, section 6). */
export const EVENTS = {
  "catalog.product.updated.v1": {
    name: "ProductUpdated",
    resource: "product",
    scope: "read_products"
  },
  "catalog.collection.updated.v1": {
    name: "CollectionUpdated",
    resource: "collection",
    scope: "read_collections"
  }
} as const satisfies Record<string, EventFacts>

export const EventKind = Schema.Literals(Struct.keys(EVENTS))
export type EventKind = typeof EventKind.Type

export const isEventKind = Schema.is(EventKind)

/** Kind of a stored event, which a newer release may have added. */
export const StoredEventKind = Schema.String.annotate({
  description: "Kind of the event",
  examples: EventKind.literals
})

/** Maximum number of consecutive deliveries in a chain of writes and events. */
export const MAX_HOPS = 10

const ACTOR_TYPE = { App: "app", Merchant: "merchant", Agent: "agent" } as const

export const actorType = (actor: Actor) => ACTOR_TYPE[actor._tag]

/**
 * Returns the installation that made the write, or null for other actors. An installation does not receive events of
 * its own writes.
 */
export const originInstallationId = (actor: Actor): InstallationId | null => (actor._tag === "App" ? actor.id : null)

/** Event to record, created by the write that caused it. */
export interface NewEvent {
  readonly id: string
  readonly kind: EventKind
  readonly occurredAt: Date
  readonly storeId: StoreId
  readonly actor: Actor
  /** Change set that the write is part of. */
  readonly changeSetId?: string | undefined
  /** Number of consecutive deliveries that led to the write: 0 for a write that answers no event. */
  readonly hops: number
  /** Current JSON of the resource. */
  readonly json: JsonText
}

/** Builds the body that subscribers receive (docs/webhooks.md). It never changes after recording. */
export const eventBodyOf = ({ actor, changeSetId, hops, id, json, kind, occurredAt, storeId }: NewEvent): JsonText => {
  const origin = originInstallationId(actor)
  const envelope = JSON.stringify({
    id,
    kind,
    occurredAt: occurredAt.toISOString(),
    storeId,
    actor: { type: actorType(actor) },
    ...(origin === null ? {} : { originInstallationId: origin }),
    ...(changeSetId === undefined ? {} : { changeSetId }),
    hops
  })
  return `${envelope.slice(0, -1)},"data":{"${EVENTS[kind].resource}":${json}}}`
}

/** The write exceeds {@link MAX_HOPS}. Prevents apps from answering each other's events forever. */
export class EventLoop extends Schema.TaggedError<EventLoop>()("EventLoop", { event: Schema.String }) {
  override get message() {
    return `Event loop: ${MAX_HOPS} consecutive deliveries led to the event ${this.event}. Do not write in response to events that your own writes caused`
  }
}
