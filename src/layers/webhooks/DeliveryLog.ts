import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AppId, InstallationId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { DeliveryNotFound, type DeliveryState, MAX_EXAMINED_DELIVERIES } from "../../domain/webhooks/Webhook.ts"
import type { MissedDeliveries } from "../../domain/webhooks/Webhooks.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson, requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { constant, type Fragment, sql as fragment } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { insertInterruptedAttempts } from "./Claims.ts"
import { isElsewhere } from "../storeMove/Moving.ts"

/** Maximum number of rows that a statement changes, so that it never holds many locks. */
const BATCH = 1000

const NIL = leastUuidOf(new Date(0))

/** Members of the JSON object of a delivery `d` for members of its store, as arguments of `json_build_object`. */
export const DELIVERY_MEMBERS = fragment`
  'installationId', d.installation_id, 'eventId', d.event_id, 'kind', (
    select kind from events e where e.store_id = d.store_id and e.id = d.event_id
  ), 'state', coalesce(d.outcome, 'pending'), 'attempts', d.attempts, 'createdAt', ${time("d.created_at")},
  'nextAt', case when d.outcome is null then ${time("d.next_at")} end,
  'finishedAt', case when d.outcome <> 'held' then ${time("d.finished_at")} end
`

/** The same for the app, which receives deliveries of many stores. */
export const APP_DELIVERY_MEMBERS = fragment`'storeId', d.store_id, ${DELIVERY_MEMBERS}`

/**
 * Selects a page of deliveries, newest first. `examine` selects at most `max` deliveries, so that a page of a rare state
 * ends early.
 */
export const selectDeliveries = (
  examine: (max: Fragment) => Fragment,
  members: Fragment,
  { limit, state }: { readonly limit: number; readonly state: DeliveryState | null }
): Fragment => {
  const max = constant(MAX_EXAMINED_DELIVERIES)
  return fragment`
    with examined as materialized (
      ${examine(fragment`case when ${state}::text is null then ${limit} + 1 else ${max} end`)}
    ), page as materialized (
      select *, row_number() over (order by event_id desc) as position from examined
      where ${state}::text is null or coalesce(outcome, 'pending') = ${state}
      order by event_id desc limit ${limit} + 1
    )
    select
      '[' || coalesce(
        string_agg(json_build_object(${members})::text, ',' order by event_id desc) filter (where position <= ${limit}),
        ''
      ) || ']' as items,
      case
        when count(*) > ${limit} then max(event_id::text) filter (where position = ${limit})
        when ${state}::text is not null and (select count(*) from examined) = ${max}
          then (select min(event_id::text) from examined)
      end as "nextCursor"
    from page d
  `
}

const RESENT = fragment`
  outcome = null, finished_at = null, lease = null, failures = 0, next_at = statement_timestamp()
`
const SKIPPED = fragment`outcome = 'skipped', finished_at = statement_timestamp(), lease = null`

const readClock = requiredRowReader(Schema.Struct({ now: Schema.String }))

const readChanged = rowsReader(
  Schema.Struct({
    eventId: Schema.toType(EventId),
    installationId: Schema.toType(InstallationId),
    createdAt: Schema.Date
  })
)

/**
 * Deliveries that are shown, and sent again. `where` selects them by columns of `deliveries`. Deliveries that a worker is
 * sending stay as they are.
 */
export class DeliveryLog extends Context.Service<DeliveryLog>()("layers/webhooks/DeliveryLog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Changes a batch of deliveries and returns them in the order of their keys. */
    const changeBatch = (where: Fragment, set: Fragment) =>
      readChanged(sql`
        with chosen as materialized (
          select store_id, event_id, installation_id, created_at, attempts, lease, next_at from deliveries
          where (lease is null or next_at <= now()) and not ${isElsewhere("store_id")} and ${where}
          order by event_id, installation_id limit ${BATCH} for update
        ), interrupted as (
          ${insertInterruptedAttempts("chosen")}
        ), changed as (
          update deliveries d set ${set} from chosen c
          where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
        )
        select event_id as "eventId", installation_id as "installationId", created_at as "createdAt" from chosen
        order by event_id, installation_id
      `)

    /** Changes the deliveries that exist when the call starts, from the event id `from` on, in batches. */
    const changeAll = Effect.fnUntraced(function* (where: Fragment, set: Fragment, from: string) {
      // As text: a `Date` would drop the microseconds, and with them deliveries of the same millisecond.
      const { now } = yield* readClock(sql`select clock_timestamp()::text as now`)
      const changed: { -readonly [K in keyof MissedDeliveries]: MissedDeliveries[K] } = {
        count: 0,
        since: null,
        until: null
      }
      let [event, installation] = [from, NIL]
      while (true) {
        const next = sql`
          (event_id, installation_id) > (${event}::uuid, ${installation}::uuid)
          and created_at <= ${now}::timestamptz and ${where}
        `
        const batch = yield* changeBatch(next, set)
        const [first, last] = [batch[0], batch.at(-1)]
        if (first === undefined || last === undefined) return changed
        changed.count += batch.length
        changed.since ??= first.createdAt
        changed.until = last.createdAt
        ;[event, installation] = [last.eventId, last.installationId]
      }
    })

    const resend = Effect.fn("DeliveryLog.resend")(function* (where: Fragment) {
      return (yield* changeBatch(where, RESENT)).length
    }, orDefect)

    const find = Effect.fn("DeliveryLog.find")(
      (where: Fragment, members: Fragment) =>
        findJson(sql`select json_build_object(${members})::text as json from deliveries d where ${where}`),
      orDefect
    )

    return {
      /** Returns the JSON of the first of the deliveries. */
      find,

      /** Makes a batch of deliveries due now, with all attempts available again. Returns their number. */
      resend,

      /** Makes all of the deliveries due now. Outside a transaction, each batch is its own. */
      resendAll: Effect.fn("DeliveryLog.resendAll")(
        (where: Fragment, from: string = NIL) => changeAll(where, RESENT, from),
        orDefect
      ),

      /** Drops all of the deliveries. */
      skipAll: Effect.fn("DeliveryLog.skipAll")((where: Fragment) => changeAll(where, SKIPPED, NIL), orDefect),

      /** Sends an event to an app again and returns the JSON of a delivery. */
      redeliver: Effect.fn("DeliveryLog.redeliver")(function* (app: AppId, event: EventId) {
        const where = sql`app_id = ${app} and event_id = ${event}`
        yield* resend(where)
        const json = yield* find(where, APP_DELIVERY_MEMBERS)
        return Option.isSome(json) ? json.value : yield* new DeliveryNotFound({ appId: app, eventId: event })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
