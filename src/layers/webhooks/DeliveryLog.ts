import { Effect, Schema, SchemaTransformation } from "effect"
import type { SqlClient } from "effect/sql"
import { type AppId, InstallationId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { Attempt, Delivery, DeliveryNotFound, MAX_EXAMINED_DELIVERIES } from "../../domain/webhooks/Webhook.ts"
import type { MissedDeliveries, Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { END } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant, type Fragment } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { time } from "../sql/Times.ts"
import { makeDeliveryPurge } from "./DeliveryPurge.ts"
import { insertInterruptedAttempts } from "./DeliveryQueue.ts"
import { failWithoutWebhook } from "./Subscriptions.ts"

/** Maximum number of rows that a statement changes, so that it never holds many locks. */
const BATCH = 1000

/** Response body as text, whatever bytes the receiver sent. */
const ResponseText = Schema.Uint8Array.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (bytes) => new TextDecoder().decode(bytes),
      encode: (text) => new TextEncoder().encode(text)
    })
  )
)

const NIL = leastUuidOf(new Date(0))

/** Members of the JSON object of a delivery `d`, as arguments of `json_build_object`. */
export const deliveryMembers = (sql: SqlClient.SqlClient): Fragment => sql`
  'installationId', d.installation_id, 'eventId', d.event_id, 'kind', (
    select kind from events e where e.store_id = d.store_id and e.id = d.event_id
  ), 'state', coalesce(d.outcome, 'pending'), 'attempts', d.attempts, 'createdAt', ${time("d.created_at")},
  'nextAt', case when d.outcome is null then ${time("d.next_at")} end,
  'finishedAt', case when d.outcome <> 'held' then ${time("d.finished_at")} end
`

/** Makes deliveries due now, with all attempts available again. */
const resend = (sql: SqlClient.SqlClient): Fragment => sql`
  outcome = null, finished_at = null, lease = null, failures = 0, next_at = statement_timestamp()
`

const ChangedDelivery = Schema.Struct({
  eventId: Schema.toType(EventId),
  installationId: Schema.toType(InstallationId),
  createdAt: Schema.Date
})

const decodeChanged = Schema.decodeUnknownEffect(Schema.Array(ChangedDelivery))

/**
 * Changes a batch of an app's deliveries and returns them in the order of their keys. Deliveries that a worker is sending
 * stay as they are.
 */
const changeBatch = (sql: SqlClient.SqlClient, app: AppId, where: Fragment, set: Fragment) =>
  Effect.flatMap(
    sql`
      with chosen as materialized (
        select store_id, event_id, installation_id, created_at, attempts, lease, next_at from deliveries
        where app_id = ${app} and (lease is null or next_at <= now()) and ${where}
        order by event_id, installation_id limit ${BATCH} for update
      ), interrupted as (
        ${insertInterruptedAttempts(sql, "chosen")}
      ), changed as (
        update deliveries d set ${set} from chosen c
        where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
      )
      select event_id as "eventId", installation_id as "installationId", created_at as "createdAt" from chosen
      order by event_id, installation_id
    `,
    decodeChanged
  )

/** Makes the deliveries of an event to an app due now and returns how many there are. */
const resendEvent = (sql: SqlClient.SqlClient, app: AppId, event: EventId) =>
  Effect.map(changeBatch(sql, app, sql`event_id = ${event}`, resend(sql)), ({ length }) => length)

/** Makes the delivery of an event due now and returns its JSON. */
export const redelivered = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, app: AppId, event: EventId) {
  yield* resendEvent(sql, app, event)
  const [delivery] = yield* sql<{ readonly json: string }>`
    select json_build_object('storeId', d.store_id, ${deliveryMembers(sql)})::text as json
    from deliveries d where d.app_id = ${app} and d.event_id = ${event}
  `
  return delivery?.json ?? (yield* new DeliveryNotFound({ appId: app, eventId: event }))
}, orDefect)

/** Page of deliveries. */
const DeliveryPage = Schema.Struct({
  items: Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        ...Delivery.fields,
        createdAt: Schema.DateFromString,
        nextAt: Schema.NullOr(Schema.DateFromString),
        finishedAt: Schema.NullOr(Schema.DateFromString)
      })
    )
  ),
  nextCursor: Schema.NullOr(Schema.toType(EventId))
})

const decodePage = Schema.decodeUnknownEffect(Schema.Tuple([DeliveryPage]))
const decodeAttempts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...Attempt.fields, answer: Schema.NullOr(ResponseText) }))
)

/** Lists deliveries and sends them again. */
export const makeDeliveryLog = (sql: SqlClient.SqlClient) => {
  const { deleteEvents, deleteFinished, deleteMissed } = makeDeliveryPurge(sql)

  const requireWebhook = Effect.fnUntraced(function* (app: AppId) {
    const webhooks = yield* sql`select 1 from webhooks where app_id = ${app}`
    if (webhooks.length === 0) yield* failWithoutWebhook(sql, app)
  })

  /**
   * Changes the deliveries of an app that exist when the call starts, from the event id `from` on. Each batch is its own
   * transaction.
   */
  const changeAll = Effect.fnUntraced(function* (app: AppId, from: string, where: Fragment, set: Fragment) {
    // As text: a `Date` would drop the microseconds, and with them deliveries of the same millisecond.
    const [start] = yield* sql<{ readonly now: string }>`select clock_timestamp()::text as now`
    const changed: { -readonly [K in keyof MissedDeliveries]: MissedDeliveries[K] } = {
      count: 0,
      since: null,
      until: null
    }
    let [event, installation] = [from, NIL]
    while (true) {
      const next = sql`
        (event_id, installation_id) > (${event}::uuid, ${installation}::uuid)
        and created_at <= ${start?.now}::timestamptz and ${where}
      `
      const batch = yield* changeBatch(sql, app, next, set)
      const [first, last] = [batch[0], batch.at(-1)]
      if (first === undefined || last === undefined) return changed
      changed.count += batch.length
      changed.since ??= first.createdAt
      changed.until = last.createdAt
      ;[event, installation] = [last.eventId, last.installationId]
    }
  })

  return {
    resume: Effect.fn("Webhooks.resume")(function* (app, missed) {
      yield* requireWebhook(app)
      const set =
        missed === "deliver" ? resend(sql) : sql`outcome = 'skipped', finished_at = statement_timestamp(), lease = null`
      const changed = yield* changeAll(app, NIL, sql`finished_at is null`, set)
      yield* sql`update webhooks set paused_at = null, pause_reason = null, failing_since = null where app_id = ${app}`
      return changed
    }, orDefect),

    deliveries: Effect.fn("Webhooks.deliveries")(function* (app, { cursor = END, limit, state = null }) {
      yield* requireWebhook(app)
      const examined = constant(MAX_EXAMINED_DELIVERIES)
      const [page] = yield* Effect.flatMap(
        sql`
          with examined as materialized (
            select * from deliveries_before_of_app(
              ${app}, ${cursor}, case when ${state}::text is null then ${limit} + 1 else ${examined} end
            )
          ), page as materialized (
            select *, row_number() over (order by event_id desc) as position from examined
            where ${state}::text is null or coalesce(outcome, 'pending') = ${state}
            order by event_id desc limit ${limit} + 1
          )
          select
            '[' || coalesce(
              string_agg(
                json_build_object('storeId', d.store_id, ${deliveryMembers(sql)})::text, ',' order by event_id desc
              ) filter (where position <= ${limit}), ''
            ) || ']' as items,
            case
              when count(*) > ${limit} then max(event_id::text) filter (where position = ${limit})
              when ${state}::text is not null and (select count(*) from examined) = ${examined}
                then (select min(event_id::text) from examined)
            end as "nextCursor"
          from page d
        `,
        decodePage
      )
      return page
    }, orDefect),

    attempts: Effect.fn("Webhooks.attempts")(function* (app, event) {
      const deliveries = yield* sql`select 1 from deliveries where app_id = ${app} and event_id = ${event}`
      if (deliveries.length === 0) return yield* new DeliveryNotFound({ appId: app, eventId: event })
      const attempts = yield* sql`
        select
          a.installation_id as "installationId", a.attempt, a.started_at as "startedAt",
          a.duration_ms as "durationMillis", a.status, a.answer, a.error
        from deliveries d join delivery_attempts a using (store_id, event_id, installation_id)
        where d.app_id = ${app} and d.event_id = ${event}
        order by a.installation_id, a.attempt
      `
      return yield* decodeAttempts(attempts)
    }, orDefect),

    redeliver: Effect.fn("Webhooks.redeliver")(function* (app, event) {
      const resent = yield* resendEvent(sql, app, event)
      const deliveries = yield* sql`select 1 from deliveries where app_id = ${app} and event_id = ${event}`
      return deliveries.length === 0 ? yield* new DeliveryNotFound({ appId: app, eventId: event }) : resent
    }, orDefect),

    redeliverSince: Effect.fn("Webhooks.redeliverSince")(function* (app, since, which) {
      yield* requireWebhook(app)
      const where = which === "dead" ? sql`outcome = 'dead'` : sql`true`
      return (yield* changeAll(app, leastUuidOf(since), where, resend(sql))).count
    }, orDefect),

    // Events last, when no expired delivery refers to them any more.
    purge: Effect.gen(function* () {
      const finished = yield* rowCount(deleteFinished)
      const missed = yield* rowCount(deleteMissed)
      return finished + missed === 0 ? yield* rowCount(deleteEvents) : finished + missed
    }).pipe(orDefect)
  } satisfies Partial<typeof Webhooks.Service>
}
