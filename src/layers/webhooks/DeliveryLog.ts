import { Effect, Option, Schema, SchemaTransformation } from "effect"
import type { AppId } from "../../domain/access/Apps.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { EventId } from "../../domain/Events.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import {
  Attempt,
  Delivery,
  DeliveryNotFound,
  type DeliveryState,
  MAX_EXAMINED_DELIVERIES
} from "../../domain/webhooks/Webhook.ts"
import type { MissedDeliveries, Webhooks } from "../../domain/webhooks/Webhooks.ts"
import type { JsonText } from "../../domain/Document.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { constant, type Fragment, sql, type Statement } from "../sql/Statement.ts"
import { END } from "../Pages.ts"
import { time } from "../Times.ts"
import { purgeEvents, purgeFinished, purgeMissed } from "./DeliveryPurge.ts"
import { insertLapsedAttempts } from "./DeliveryQueue.ts"
import { noWebhook } from "./Subscriptions.ts"

/** Rows that one statement of a large change touches at most, so that it never holds many locks. */
const BATCH = 1000

/** What a receiver answered is text for people, whatever bytes it sent. */
const Answer = Schema.Uint8Array.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (bytes) => new TextDecoder().decode(bytes),
      encode: (text) => new TextEncoder().encode(text)
    })
  )
)

const NIL = leastUuidOf(new Date(0))

/** Due now, with every attempt ahead of it. */
export const AFRESH = sql`set outcome = null, finished_at = null, lease = null, failures = 0, next_at = clock_timestamp()`

/** What a worker has under way is left to arrive. */
export const AT_REST = sql`(lease is null or next_at <= now())`

/** What is told of a delivery `d`, as members of a JSON object. */
export const DELIVERY = sql`
  'installationId', d.installation_id, 'eventId', d.event_id, 'kind', (
    select kind from events e where e.store_id = d.store_id and e.id = d.event_id
  ), 'state', coalesce(d.outcome, 'pending'), 'attempts', d.attempts, 'createdAt', ${time("d.created_at")},
  'nextAt', case when d.outcome is null then ${time("d.next_at")} end,
  'finishedAt', case when d.outcome <> 'held' then ${time("d.finished_at")} end
`

/** Deliveries that a page is looked for among: those of one state may be few. */
export const lookedFor = (state: DeliveryState | null, limit: number): Fragment =>
  sql`case when ${state}::text is null then ${limit} + 1 else ${constant(MAX_EXAMINED_DELIVERIES)} end`

/**
 * A page of deliveries in a state, or in any, the newest first, of those that `looked` selects: as many as
 * {@link lookedFor} answers of an app, or of an installation, which are told of an event once.
 */
export const deliveryPage = (
  looked: Fragment,
  members: Fragment,
  state: DeliveryState | null,
  limit: number
): Statement => sql`
  with looked as materialized (${looked}), page as materialized (
    select *, row_number() over (order by event_id desc) as place from looked
    where ${state}::text is null or coalesce(outcome, 'pending') = ${state} order by event_id desc limit ${limit} + 1
  )
  select
    '[' || coalesce(
      string_agg(json_build_object(${members})::text, ',' order by event_id desc) filter (where place <= ${limit}), ''
    ) || ']' as items,
    case
      when count(*) > ${limit} then max(event_id::text) filter (where place = ${limit})
      when ${state}::text is not null and (select count(*) from looked) = ${constant(MAX_EXAMINED_DELIVERIES)}
        then (select min(event_id::text) from looked)
    end as "nextCursor"
  from page d
`

/** To its app it is told of which store it is, too. */
const OF_APP = sql`'storeId', d.store_id, ${DELIVERY}`

const selectPage = (app: AppId, cursor: string, state: DeliveryState | null, limit: number) =>
  deliveryPage(
    sql`select * from deliveries_before_of_app(${app}, ${cursor}, ${lookedFor(state, limit)})`,
    OF_APP,
    state,
    limit
  )

const selectDelivery = (app: AppId, event: EventId) => sql`
  select json_build_object(${OF_APP})::text as json from deliveries d where d.app_id = ${app} and d.event_id = ${event}
`
const jsonOf = firstOf(Schema.Struct({ json: Schema.String }))

/** Changes deliveries of an app, a batch at most, and answers them in their order. */
const changing = (app: AppId, which: Fragment, set: Fragment) => sql`
  with chosen as materialized (
    select store_id, event_id, installation_id, created_at, attempts, lease, next_at from deliveries
    where app_id = ${app} and ${AT_REST} and ${which}
    order by event_id, installation_id limit ${BATCH} for update
  ), lapsed as (
    ${insertLapsedAttempts("chosen")}
  ), changed as (
    update deliveries d ${set} from chosen c
    where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
  )
  select event_id as "eventId", installation_id as "installationId", created_at as "createdAt" from chosen
  order by event_id, installation_id
`

const once = (app: AppId, event: EventId) => changing(app, sql`event_id = ${event}`, AFRESH)

/** Makes the delivery of an event due once more. Answers how it stands. */
export const redelivered = Effect.fnUntraced(function* (app: AppId, event: EventId): Step<JsonText, DeliveryNotFound> {
  yield* countOf(once(app, event))
  const sent = yield* jsonOf(selectDelivery(app, event))
  return Option.getOrUndefined(sent)?.json ?? (yield* new DeliveryNotFound({ appId: app, eventId: event }))
})

/** A page of deliveries as they are logged. */
const LoggedPage = Schema.Struct({
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

/** What was sent to whom, and sending it once more. */
export const makeDeliveryLog = (database: DatabaseOf) => {
  const { count, one, rows } = database
  const pageOf = one(LoggedPage)
  const attemptsOf = rows(Schema.Struct({ ...Attempt.fields, answer: Schema.NullOr(Answer) }))
  /** As text: a `Date` would drop the microseconds, and with them what was made in the same millisecond. */
  const nowOf = one(Schema.Struct({ now: Schema.String }))
  const changedOf = rows(
    Schema.Struct({
      eventId: Schema.toType(EventId),
      installationId: Schema.toType(InstallationId),
      createdAt: Schema.Date
    })
  )

  const known = (app: AppId) =>
    Effect.flatMap(count(sql`select 1 from webhooks where app_id = ${app}`), (found) =>
      found === 0 ? noWebhook(database, app) : Effect.void
    )

  /**
   * Changes those of an app's deliveries that were there when it began, from the least event id `from` on, some at a
   * time: each batch is a transaction of its own.
   */
  const change = Effect.fnUntraced(function* (app: AppId, from: string, which: Fragment, set: Fragment) {
    const { now } = yield* nowOf(sql`select clock_timestamp()::text as now`)
    const changed: { -readonly [K in keyof MissedDeliveries]: MissedDeliveries[K] } = {
      count: 0,
      since: null,
      until: null
    }
    let [event, installation] = [from, NIL]
    while (true) {
      const next = sql`(event_id, installation_id) > (${event}::uuid, ${installation}::uuid) and created_at <= ${now}::timestamptz`
      const batch = yield* changedOf(changing(app, sql`${next} and ${which}`, set))
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
      yield* known(app)
      const set =
        missed === "deliver" ? AFRESH : sql`set outcome = 'skipped', finished_at = clock_timestamp(), lease = null`
      const changed = yield* change(app, NIL, sql`finished_at is null`, set)
      yield* count(
        sql`update webhooks set paused_at = null, pause_reason = null, failing_since = null where app_id = ${app}`
      )
      return changed
    }),

    deliveries: Effect.fn("Webhooks.deliveries")((app, { cursor = END, limit, state = null }) =>
      Effect.andThen(known(app), pageOf(selectPage(app, cursor, state, limit)))
    ),

    attempts: Effect.fn("Webhooks.attempts")(function* (app, event) {
      const sent = yield* count(sql`select 1 from deliveries where app_id = ${app} and event_id = ${event}`)
      if (sent === 0) return yield* new DeliveryNotFound({ appId: app, eventId: event })
      return yield* attemptsOf(sql`
        select
          a.installation_id as "installationId", a.attempt, a.started_at as "startedAt",
          a.duration_ms as "durationMillis", a.status, a.answer, a.error
        from deliveries d join delivery_attempts a using (store_id, event_id, installation_id)
        where d.app_id = ${app} and d.event_id = ${event}
        order by a.installation_id, a.attempt
      `)
    }),

    redeliver: Effect.fn("Webhooks.redeliver")(function* (app, event) {
      const sent = yield* count(once(app, event))
      const known = yield* count(sql`select 1 from deliveries where app_id = ${app} and event_id = ${event}`)
      return known === 0 ? yield* new DeliveryNotFound({ appId: app, eventId: event }) : sent
    }),

    redeliverSince: Effect.fn("Webhooks.redeliverSince")(function* (app, since, which) {
      yield* known(app)
      const wanted = which === "dead" ? sql`outcome = 'dead'` : sql`true`
      return (yield* change(app, leastUuidOf(since), wanted, AFRESH)).count
    }),

    // Events last: what their deliveries are is known then.
    purge: Effect.zipWith(count(purgeFinished), count(purgeMissed), (finished, missed) => finished + missed).pipe(
      Effect.flatMap((deliveries) => (deliveries === 0 ? count(purgeEvents) : Effect.succeed(deliveries)))
    )
  } satisfies Partial<typeof Webhooks.Service>
}
