import { Context, type Effect } from "effect"
import type { Actor } from "./Actor.ts"
import type { JsonText } from "./Document.ts"

/** Every kind of event there is, and what its `data` holds (contract, section 6). */
export const EVENT_KINDS = {
  "catalog.product.updated.v1": "product",
  "catalog.collection.updated.v1": "collection"
} as const

export type EventKind = keyof typeof EVENT_KINDS

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

/** The body that subscribers receive (decisions, section 10). It never changes once it is recorded. */
export const payloadOf = ({ actor, id, kind, occurredAt, resource }: NewEvent): JsonText => {
  const envelope = JSON.stringify({
    id,
    kind,
    occurredAt: occurredAt.toISOString(),
    storeId: actor.storeId,
    actor: { type: actorType(actor) },
    originInstallationId: originInstallationId(actor)
  })
  return `${envelope.slice(0, -1)},"data":{"${EVENT_KINDS[kind]}":${resource.json}}}`
}

/** Keeps what happened. Delivering it to subscribers starts from these rows alone. */
export class Events extends Context.Tag("domain/Events")<
  Events,
  {
    /** Records an event in the caller's transaction: it is there exactly when the write is. */
    readonly record: (event: NewEvent) => Effect.Effect<void>
  }
>() {}
