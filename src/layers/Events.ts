import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Queue, Schema } from "effect"
import {
  actorType,
  EventLoop,
  Events,
  EVENTS,
  hopsOf,
  MAX_HOPS,
  type NewEvent,
  originInstallationId,
  payloadOf
} from "../domain/Events.ts"
import { rowOf } from "./Rows.ts"
import { afterCommit, atCommit } from "./Transaction.ts"
import { write } from "./Writes.ts"

/** The channel on which workers hear that there is something to deliver. */
export const DELIVERIES = "deliveries"

/**
 * Between two notices of one process at least. A notice takes a lock of the whole database while it commits, and one
 * wakes for all that was written before it.
 */
const NOTICE_INTERVAL = "20 millis"

const RECORD = `
  insert into events (
    store_id, id, kind, occurred_at, actor_type, origin_installation_id, hops, resource_id, resource_version, payload
  ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
`

const recordOf = (event: NewEvent) =>
  write(RECORD, [
    event.actor.storeId,
    event.id,
    event.kind,
    event.occurredAt,
    actorType(event.actor),
    originInstallationId(event.actor) ?? null,
    hopsOf(event.actor),
    event.resource.id,
    event.resource.version,
    payloadOf(event)
  ])

const ADDRESS = `
  insert into deliveries (store_id, event_id, installation_id, app_id)
  select i.store_id, $2::uuid, i.id, i.app_id
  from installations i join webhooks w on w.app_id = i.app_id
  where i.store_id = $1 and i.is_active and i.id is distinct from $3 and $4 = any(i.scopes) and $5 = any(w.kinds)
`

const addressOf = ({ actor, id, kind }: NewEvent) =>
  write(ADDRESS, [actor.storeId, id, originInstallationId(actor) ?? null, EVENTS[kind].scope, kind])

const hopsIn = rowOf(Schema.Struct({ hops: Schema.Int }))

/** The outbox: an event and its deliveries are rows of the same transaction as the write it tells of. */
export const EventsLive = Layer.scoped(
  Events,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    // After the commit, and not in it: the lock that a notice takes would make the commits of all writes wait in line.
    const committed = yield* Queue.sliding<void>(1)
    yield* Queue.take(committed).pipe(
      Effect.zipRight(Effect.ignoreLogged(sql`select pg_notify(${DELIVERIES}, '')`)),
      Effect.zipRight(Effect.sleep(NOTICE_INTERVAL)),
      Effect.forever,
      Effect.forkScoped
    )

    return Events.of({
      record: (event) =>
        atCommit(recordOf(event)).pipe(
          Effect.zipRight(atCommit(addressOf(event))),
          Effect.zipRight(afterCommit(() => void committed.unsafeOffer(undefined)))
        ),

      hopsAfter: Effect.fn("Events.hopsAfter")(function* (store, cause) {
        const found = yield* hopsIn(sql`select hops from events where store_id = ${store} and id = ${cause}`)
        const hops = Option.match(found, { onNone: () => 0, onSome: ({ hops }) => hops + 1 })
        return hops > MAX_HOPS ? yield* new EventLoop({ event: cause }) : hops
      })
    })
  })
)
