import { Context, type Effect, Schema } from "effect"
import type { Scope } from "./access/Scope.ts"
import type { Actor } from "./Actor.ts"
import type { JsonText } from "./Document.ts"
import type { StoreId } from "./Store.ts"
import { Uuid } from "./Uuid.ts"

export const EventId = Uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** Every kind of event there is (contract, section 6). */
export const EventKind = Schema.Literal("catalog.product.updated.v1", "catalog.collection.updated.v1")
export type EventKind = typeof EventKind.Type

/** What the `data` of a kind holds, and the scope that an installation must have to be told of it. */
export const EVENTS = {
  "catalog.product.updated.v1": { resource: "product", scope: "read_products" },
  "catalog.collection.updated.v1": { resource: "collection", scope: "read_collections" }
} as const satisfies Record<EventKind, { readonly resource: string; readonly scope: Scope }>

/** Deliveries in a row that may lead from one write to the next. */
export const MAX_HOPS = 10

/** Something that happened to a resource, as the write that did it tells it. */
export interface NewEvent {
  readonly id: string
  readonly kind: EventKind
  readonly occurredAt: Date
  readonly actor: Actor
  readonly resource: { readonly id: string; readonly version: number; readonly json: JsonText }
}

const ACTOR_TYPE = { App: "app", Merchant: "merchant", Agent: "agent" } as const

export const actorType = (actor: Actor) => ACTOR_TYPE[actor._tag]

/** Only an app's write carries an origin: that installation is not told of its own change. */
export const originInstallationId = (actor: Actor): string | undefined =>
  actor._tag === "App" ? actor.installationId : undefined

/** How many deliveries in a row led to the write: 0 for a merchant's, an agent's, and an app's of its own accord. */
export const hopsOf = (actor: Actor): number => (actor._tag === "App" ? actor.hops : 0)

/** The body that subscribers receive (decisions, section 10). It never changes once it is recorded. */
export const payloadOf = ({ actor, id, kind, occurredAt, resource }: NewEvent): JsonText => {
  const envelope = JSON.stringify({
    id,
    kind,
    occurredAt: occurredAt.toISOString(),
    storeId: actor.storeId,
    actor: { type: actorType(actor) },
    originInstallationId: originInstallationId(actor),
    hops: hopsOf(actor)
  })
  return `${envelope.slice(0, -1)},"data":{"${EVENTS[kind].resource}":${resource.json}}}`
}

/** Apps that answer each other's events with writes would go on for ever. */
export class EventLoop extends Schema.TaggedError<EventLoop>()("EventLoop", { event: Schema.String }) {
  override get message() {
    return `${MAX_HOPS} deliveries in a row led to the event ${this.event}, and this write would be the next: apps are answering each other. Stop writing in answer to your own effects, or write less often`
  }
}

/** Keeps what happened, and for whom it is. Delivering it starts from these rows alone. */
export class Events extends Context.Tag("domain/Events")<
  Events,
  {
    /**
     * Records an event in the caller's transaction, with a delivery for each installation that is to be told: they are
     * there exactly when the write is. Told is every active installation of an app that subscribed to the kind, if it
     * has the scope to read the resource, except the one that made the write (contract, section 6, rule 1).
     */
    readonly record: (event: NewEvent) => Effect.Effect<void>
    /**
     * The hops of a write that answers the event `cause`: one more than led to it. An event that the store does not
     * have, or no longer has, counts as none. Fails with `EventLoop` beyond {@link MAX_HOPS}.
     */
    readonly hopsAfter: (store: StoreId, cause: EventId) => Effect.Effect<number, EventLoop>
  }
>() {}
