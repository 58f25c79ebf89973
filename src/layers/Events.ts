import { Context, Effect, Layer, Option, Queue, Schema } from "effect"
import { InstallationId } from "../domain/access/Installations.ts"
import type { Actor } from "../domain/Actor.ts"
import {
  actorType,
  type EventId,
  type EventKind,
  EventLoop,
  EVENTS,
  MAX_HOPS,
  type NewEvent,
  originInstallationId,
  payloadOf
} from "../domain/Events.ts"
import { MAX_DRY_RUN_ITEMS } from "../domain/DryRun.ts"
import type { StoreId } from "../domain/Store.ts"
import type { DatabaseOf } from "./sql/Database.ts"
import { firstOf } from "./sql/Plan.ts"
import { Database } from "./sql/Postgres.ts"
import { type Fragment, sql, type Statement } from "./sql/Statement.ts"
import { linesOf, listOf } from "./Lists.ts"

/** The channel on which workers hear that there is something to deliver. */
export const DELIVERIES = "deliveries"

/**
 * Between two notices of one process at least. A notice takes a lock of the whole database while it commits, and one
 * wakes for all that was written before it.
 */
const NOTICE_INTERVAL = "20 millis"

/**
 * The installations that are to be told: every active one of an app that subscribed to the kind, if it has
 * the scope to read the resource, except the one that made the write (contract, section 6, rule 1). Joined with webhooks, a
 * plan made while few had subscribed would go through all of them. Where there are none, no installation is looked at.
 * Store and scope stand in subqueries, into which the planner does not look: a store with fewer installations than most
 * would have the whole rest of a write planned with every write (docs/performance.md, Planned once).
 */
const toBeTold = (store: StoreId, { actor, kind }: Pick<NewEvent, "actor" | "kind">): Fragment => sql`
  installations i where i.store_id = (select ${store}::uuid) and i.is_active
    and i.id is distinct from ${originInstallationId(actor)}
    and (select ${EVENTS[kind].scope}) = any(i.scopes) and exists (select from webhooks)
    and (select ${kind} = any(w.kinds) from webhooks w where w.app_id = i.app_id)
`

/** Where a member of the store lets its deliveries wait, a new one is not in the queue at all. */
const OUTCOME = sql`case when i.held_at is not null then 'held' end`
const FINISHED = sql`case when i.held_at is not null then clock_timestamp() end`

const insertDeliveries = (event: NewEvent) => sql`
  insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
  select i.store_id, ${event.id}::uuid, i.id, i.app_id, ${OUTCOME}, ${FINISHED} from ${toBeTold(event.storeId, event)}
`

/** Who they are: of the installations that are to be told the first. */
const selectTold = (store: StoreId, actor: Actor, kind: EventKind) => sql`
  select i.id as "installationId", (select name from apps where id = i.app_id) as "appName"
  from ${toBeTold(store, { actor, kind })} order by i.id limit ${MAX_DRY_RUN_ITEMS}
`

/** Answers the installations that are to be told of an event of a kind which an actor caused. */
export const makeTold = ({ rows }: DatabaseOf) => {
  const toldOf = rows(Schema.Struct({ installationId: Schema.toType(InstallationId), appName: Schema.String }))
  return (store: StoreId, actor: Actor, kind: EventKind) => toldOf(selectTold(store, actor, kind))
}

/** An event, and the resource that it tells of. */
export interface Told {
  readonly event: NewEvent
  readonly resource: { readonly id: string; readonly version: number }
}

const oneOf = ({ event, resource }: Told): ReadonlyArray<Statement> => {
  const { actor, hops, id, kind, occurredAt, storeId } = event
  return [
    sql`
      insert into events (
        store_id, id, kind, occurred_at, actor_type, origin_installation_id, hops, resource_id, resource_version,
        payload
      ) values (
        ${storeId}, ${id}, ${kind}, ${occurredAt}, ${actorType(actor)}, ${originInstallationId(actor)}, ${hops},
        ${resource.id}, ${resource.version}, ${payloadOf(event)}
      )
    `,
    insertDeliveries(event)
  ]
}

/** What a write tells is of one kind, and by one actor: that of its first event. */
const manyOf = (first: NewEvent, told: ReadonlyArray<Told>): ReadonlyArray<Statement> => {
  const { actor, hops, kind, storeId } = first
  const ids = listOf(told.map(({ event }) => event.id))
  return [
    sql`
      insert into events (
        store_id, id, kind, occurred_at, actor_type, origin_installation_id, hops, resource_id, resource_version,
        payload
      )
      select ${storeId}, id, ${kind}, at, ${actorType(actor)}, ${originInstallationId(actor)}, ${hops}, resource_id,
        version, payload
      from unnest(
        ${ids}::uuid[],
        ${listOf(told.map(({ event }) => event.occurredAt.toISOString()))}::timestamptz[],
        ${listOf(told.map(({ resource }) => resource.id))}::uuid[],
        ${listOf(told.map(({ resource }) => resource.version))}::integer[],
        string_to_array(${linesOf(told.map(({ event }) => payloadOf(event)))}, E'\\n', '')
      ) as given (id, at, resource_id, version, payload)
    `,
    // The recipients are found once, and not for each event.
    sql`
      insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
      select told.store_id, event_id, told.id, told.app_id, told.outcome, told.finished_at
      from (
        select i.store_id, i.id, i.app_id, ${OUTCOME} as outcome, ${FINISHED} as finished_at
        from ${toBeTold(storeId, first)} offset 0
      ) as told, unnest(${ids}::uuid[]) as event_id
    `
  ]
}

/**
 * The outbox: events and their deliveries are rows of the same transaction as the write they tell of. One event has a
 * statement without a list, as one entry of the journal has (docs/performance.md, Import).
 */
export const outboxOf = (told: ReadonlyArray<Told>): ReadonlyArray<Statement> => {
  const [first, ...others] = told
  if (first === undefined) return []
  return others.length === 0 ? oneOf(first) : manyOf(first.event, told)
}

const selectHops = (store: StoreId, event: EventId) =>
  sql`select hops from events where store_id = ${store} and id = ${event}`
const hopsOf = firstOf(Schema.Struct({ hops: Schema.Int }))

/**
 * The hops of a write that answers the event `cause`: one more than led to it. An event that the store does not have, or
 * no longer has, counts as none.
 */
export const hopsAfter = Effect.fnUntraced(function* (
  store: StoreId,
  cause: EventId | null
): Effect.fn.Return<number, EventLoop> {
  if (cause === null) return 0
  const found = yield* hopsOf(selectHops(store, cause))
  const hops = Option.match(found, { onNone: () => 0, onSome: ({ hops }) => hops + 1 })
  return hops > MAX_HOPS ? yield* new EventLoop({ event: cause }) : hops
})

const notify = (channel: string) => sql`select pg_notify(${channel}, '')`

/** Wakes the workers after a commit that left them something. */
export class Notifier extends Context.Service<Notifier, { readonly notify: () => void }>()("layers/Notifier") {}

/** After the commit, and not in it: the lock that a notice takes would make the commits of all writes wait in line. */
export const NotifierLive = Layer.effect(
  Notifier,
  Effect.gen(function* () {
    const { count } = yield* Database
    const committed = yield* Queue.sliding<void>(1)
    yield* Queue.take(committed).pipe(
      Effect.andThen(Effect.ignore(count(notify(DELIVERIES)), { log: "Debug" })),
      Effect.andThen(Effect.sleep(NOTICE_INTERVAL)),
      Effect.forever,
      Effect.forkScoped
    )
    return Notifier.of({ notify: () => void Queue.offerUnsafe(committed, undefined) })
  })
)
