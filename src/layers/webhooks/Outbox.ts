import { Array, Context, Effect, Layer, Option, Queue, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { InstallationId } from "../../domain/access/Ids.ts"
import type { Actor } from "../../domain/Actor.ts"
import {
  actorType,
  type EventId,
  type EventKind,
  EventLoop,
  EVENTS,
  MAX_HOPS,
  type NewEvent,
  originInstallationId,
  eventBodyOf
} from "../../domain/Events.ts"
import { MAX_DRY_RUN_ITEMS } from "../../domain/DryRun.ts"
import type { StoreId } from "../../domain/Store.ts"
import { currentTraceParent } from "../../domain/Traces.ts"

import { orDefect } from "../sql/Errors.ts"
import { type Columns, rowList } from "../sql/RowList.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"
import type { Fragment, Statement } from "../sql/Statement.ts"

/** Channel on which workers are notified of new deliveries. */
export const DELIVERIES = "deliveries"

/**
 * Minimum time between two notifications of a process. A notification takes a lock of the whole database while it commits,
 * and one wakes the workers for everything that was committed before it.
 */
const NOTIFY_INTERVAL = "20 millis"

const readRecipients = rowsReader(
  Schema.Struct({ installationId: Schema.toType(InstallationId), appName: Schema.String })
)
const readHops = rowReader(Schema.Struct({ hops: Schema.Int }))

/** Event to publish, and the resource that it is about. */
export interface OutboxMessage {
  readonly event: NewEvent
  readonly resource: { readonly id: string; readonly version: number }
}

/** Statements that insert events of one kind, and their deliveries. */
interface OutboxStatements {
  readonly events: Statement
  readonly deliveries: Statement
}

const EVENT_COLUMNS: Columns<OutboxMessage> = {
  id: ["uuid", ({ event }) => event.id],
  at: ["timestamptz", ({ event }) => event.occurredAt.toISOString()],
  resource_id: ["uuid", ({ resource }) => resource.id],
  version: ["integer", ({ resource }) => resource.version],
  payload: ["lines", ({ event }) => eventBodyOf(event)]
}

const DELIVERY_COLUMNS: Columns<OutboxMessage> = { event_id: ["uuid", ({ event }) => event.id] }

/** Events and their deliveries, as rows of the same transaction as their write. */
export class Outbox extends Context.Service<Outbox>()("layers/webhooks/Outbox", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Installations that receive an event: the active ones whose app subscribed to its kind and that may read the resource,
     * except the one that made the write (contract, section 6, rule 1).
     *
     * Store and scope are scalar subqueries, which hide their values from the planner: otherwise PostgreSQL plans the
     * statement anew for each write of a store with few installations. `exists (select from webhooks)` skips all
     * installations while no app has subscribed, and a join would visit all of them with a plan from that time.
     */
    const recipients = (store: StoreId, { actor, kind }: Pick<NewEvent, "actor" | "kind">): Fragment => sql`
      installations i where i.store_id = (select ${store}::uuid) and i.is_active
        and i.id is distinct from ${originInstallationId(actor)}
        and (select ${EVENTS[kind].scope}) = any(i.scopes) and exists (select from webhooks)
        and (select ${kind} = any(w.kinds) from webhooks w where w.app_id = i.app_id)
    `

    /** Columns of a new delivery: it is not queued while a member of the store holds the deliveries of the installation. */
    const outcome = sql`
      case when i.held_at is not null then 'held' end as outcome,
      case when i.held_at is not null then statement_timestamp() end as finished_at
    `

    /** Makes the statements that insert events of one kind and their deliveries. They have the actor of the first one. */
    const insertKind = (
      messages: Array.NonEmptyReadonlyArray<OutboxMessage>,
      traceParent: string | null
    ): OutboxStatements => {
      const [{ event: first }] = messages
      const { actor, hops, kind, storeId } = first
      return {
        events: sql`
          insert into events (
            store_id, id, kind, occurred_at, actor_type, origin_installation_id, hops, resource_id, resource_version,
            payload, trace_parent
          )
          select ${storeId}, id, ${kind}, at, ${actorType(actor)}, ${originInstallationId(actor)}, ${hops}, resource_id,
            version, payload, ${traceParent}
          from ${rowList("message", messages, EVENT_COLUMNS)}
        `,
        // offset 0: PostgreSQL looks for the recipients once, not for each event.
        deliveries: sql`
          insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
          select recipient.store_id, event_id, recipient.id, recipient.app_id, recipient.outcome, recipient.finished_at
          from (
            select i.store_id, i.id, i.app_id, ${outcome} from ${recipients(storeId, first)} offset 0
          ) as recipient, ${rowList("message", messages, DELIVERY_COLUMNS)}
        `
      }
    }

    // Notifies after the commit, not in it: the lock of a notification would make the commits of all writes wait in line.
    const committed = yield* Queue.sliding<void>(1)
    yield* Queue.take(committed).pipe(
      Effect.andThen(Effect.ignore(sql`select pg_notify(${DELIVERIES}, '')`, { log: "Debug" })),
      Effect.andThen(Effect.sleep(NOTIFY_INTERVAL)),
      Effect.forever,
      Effect.forkScoped
    )

    return {
      /** Makes the statements that insert the events of each kind and their deliveries, which belong to the current trace. */
      insertStatements: (messages: ReadonlyArray<OutboxMessage>): Effect.Effect<ReadonlyArray<OutboxStatements>> =>
        Effect.map(currentTraceParent, (traceParent) =>
          Object.values(Array.groupBy(messages, ({ event }) => event.kind)).map((some) => insertKind(some, traceParent))
        ),

      /** Wakes the workers after the commit of the transaction. */
      notifyAfterCommit: sql.afterCommit(Effect.sync(() => void Queue.offerUnsafe(committed, undefined))),

      /** Lists the first installations that would receive an event. */
      listRecipients: Effect.fn("Outbox.listRecipients")(
        (store: StoreId, actor: Actor, kind: EventKind) =>
          readRecipients(sql`
          select i.id as "installationId", (select name from apps where id = i.app_id) as "appName"
          from ${recipients(store, { actor, kind })} order by i.id limit ${MAX_DRY_RUN_ITEMS}
        `),
        orDefect
      ),

      /**
       * Returns the hops of a write that `cause` led to: one more than those of the event. An event that the store does not
       * have, or no longer has, counts as none. Fails with `EventLoop` beyond the limit.
       */
      hopsAfter: Effect.fn("Outbox.hopsAfter")(function* (storeId: StoreId, cause: EventId) {
        const event = yield* readHops(sql`select hops from events where store_id = ${storeId} and id = ${cause}`)
        const hops = Option.isNone(event) ? 0 : event.value.hops + 1
        return hops > MAX_HOPS ? yield* new EventLoop({ event: cause }) : hops
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
