import { Schema } from "effect"
import type { Actor } from "./Actor.ts"
import type { JsonText } from "./Document.ts"
import type { InstallationId } from "./access/Installations.ts"
import type { Scope } from "./access/Scope.ts"
import type { StoreId } from "./Store.ts"
import { Uuid } from "./Uuid.ts"

export const EventId = Uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** Every kind of event there is (contract, section 6). */
export const EventKind = Schema.Literals(["catalog.product.updated.v1", "catalog.collection.updated.v1"])
export type EventKind = typeof EventKind.Type

/** What the `data` of a kind holds, and the scope that an installation must have to be told of it. */
export const EVENTS = {
  "catalog.product.updated.v1": { resource: "product", scope: "read_products" },
  "catalog.collection.updated.v1": { resource: "collection", scope: "read_collections" }
} as const satisfies Record<EventKind, { readonly resource: string; readonly scope: Scope }>

/** Deliveries in a row that may lead from one write to the next. */
export const MAX_HOPS = 10

const ACTOR_TYPE = { App: "app", Merchant: "merchant", Agent: "agent" } as const

export const actorType = (actor: Actor) => ACTOR_TYPE[actor._tag]

/** Only an app's write carries an origin: that installation is not told of its own change. */
export const originInstallationId = (actor: Actor): InstallationId | null => (actor._tag === "App" ? actor.id : null)

/** Something that happened to a resource, as the write that did it tells it. */
export interface NewEvent {
  readonly id: string
  readonly kind: EventKind
  readonly occurredAt: Date
  readonly storeId: StoreId
  readonly actor: Actor
  /** How many deliveries in a row led to the write: 0 for one that answers no event. */
  readonly hops: number
  /** The resource as it is. */
  readonly json: JsonText
}

/** The body that subscribers receive (decisions, section 10). It never changes once it is recorded. */
export const payloadOf = ({ actor, hops, id, json, kind, occurredAt, storeId }: NewEvent): JsonText => {
  const origin = originInstallationId(actor)
  const envelope = JSON.stringify({
    id,
    kind,
    occurredAt: occurredAt.toISOString(),
    storeId,
    actor: { type: actorType(actor) },
    ...(origin === null ? {} : { originInstallationId: origin }),
    hops
  })
  return `${envelope.slice(0, -1)},"data":{"${EVENTS[kind].resource}":${json}}}`
}

/** Apps that answer each other's events with writes would go on for ever. */
export class EventLoop extends Schema.TaggedError<EventLoop>()("EventLoop", { event: Schema.String }) {
  override get message() {
    return `${MAX_HOPS} deliveries in a row led to the event ${this.event}, and this write would be the next: apps are answering each other. Stop writing in answer to your own effects, or write less often`
  }
}
