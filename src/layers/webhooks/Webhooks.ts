import { Effect, Layer, Option, Schema, SchemaTransformation } from "effect"
import { SqlClient } from "effect/sql"
import { AppNotFound } from "../../domain/access/Apps.ts"
import type { AppId } from "../../domain/access/Ids.ts"
import { EventId } from "../../domain/Events.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { Attempt, Delivery, DeliveryNotFound, Webhook } from "../../domain/webhooks/Webhook.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { orDefect } from "../sql/Errors.ts"
import { END } from "../sql/Pages.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { allowedHosts, developerHosts } from "./AllowedHosts.ts"
import { APP_DELIVERY_MEMBERS, DeliveryLog, selectDeliveries } from "./DeliveryLog.ts"
import { DeliveryPurge } from "./DeliveryPurge.ts"
import { HEALTH, REVISION } from "./Health.ts"
import { Outgoing } from "./Outgoing.ts"
import { Resealing } from "./Reseal.ts"
import { TestDeliveries } from "./TestDeliveries.ts"
import { targetOf, WebhookRepository } from "./WebhookRepository.ts"

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

const readApp = rowReader(Schema.Struct({ isDeveloped: Schema.Boolean }))
const readWebhook = rowReader(Webhook)
const readPage = requiredRowReader(DeliveryPage)
const readAttempts = rowsReader(Schema.Struct({ ...Attempt.fields, answer: Schema.NullOr(ResponseText) }))

export const WebhooksLive = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const allowed = yield* allowedHosts
    const allowedToDevelopers = yield* developerHosts
    const log = yield* DeliveryLog
    const { purge } = yield* DeliveryPurge
    const { resealAll } = yield* Resealing
    const { send } = yield* TestDeliveries
    const webhooks = yield* WebhookRepository
    const { deliveryDays } = yield* OperatorLimits

    /** Locks the app until the transaction ends, so that it is not deleted meanwhile. */
    const lockApp = Effect.fnUntraced(function* (id: AppId) {
      const app = yield* readApp(sql`
        select developer_id is not null as "isDeveloped" from apps where id = ${id} for key share
      `)
      return Option.isSome(app) ? app.value : yield* new AppNotFound({ id })
    })

    const requireDelivery = Effect.fnUntraced(function* (appId: AppId, eventId: EventId) {
      const deliveries = yield* sql`select 1 from deliveries where app_id = ${appId} and event_id = ${eventId}`
      if (deliveries.length === 0) yield* new DeliveryNotFound({ appId, eventId })
    })

    return Webhooks.of({
      subscribe: Effect.fn("Webhooks.subscribe")(
        function* (app, { kinds, url }) {
          const { sealed, secret } = yield* webhooks.newSecret(app)
          const target = yield* targetOf(url, allowed)
          const { isDeveloped } = yield* lockApp(app)
          if (isDeveloped) yield* targetOf(url, allowedToDevelopers)
          const isFirst = yield* webhooks.put(app, { url: target, kinds }, sealed)
          return isFirst ? Option.some(secret) : Option.none()
        },
        sql.withTransaction,
        orDefect
      ),

      rotateSecret: Effect.fn("Webhooks.rotateSecret")(
        function* (app, before) {
          const { sealed, secret } = yield* webhooks.newSecret(app)
          yield* lockApp(app)
          return { secret, ...(yield* webhooks.rotateSecret(app, sealed, before)) }
        },
        sql.withTransaction,
        orDefect
      ),

      reseal: resealAll,

      pause: Effect.fn("Webhooks.pause")(function* (app) {
        const paused = yield* sql`
          update webhooks
          set paused_at = coalesce(paused_at, statement_timestamp()), pause_reason = coalesce(pause_reason, 'operator')
          where app_id = ${app} returning 1
        `
        if (paused.length === 0) yield* webhooks.failWithout(app)
      }, orDefect),

      resume: Effect.fn("Webhooks.resume")(function* (app, missed) {
        yield* webhooks.require(app)
        const waiting = sql`app_id = ${app} and finished_at is null`
        const changed = yield* missed === "deliver" ? log.resendAll(waiting) : log.skipAll(waiting)
        yield* sql`
          update webhooks w set paused_at = null, pause_reason = null, resumed_revision = ${REVISION} + 1
          where app_id = ${app}
        `
        return changed
      }, orDefect),

      show: Effect.fn("Webhooks.show")(function* (app) {
        const webhook = yield* readWebhook(sql`
          select
            app_id as "appId", url, to_json(kinds) as kinds,
            1 + coalesce(previous_secret_until > clock_timestamp(), false)::integer as "liveSecrets",
            h.failing_since as "failingSince", h.called_at as "calledAt", h.test_failed_at as "testFailedAt",
            h.paused_at as "pausedAt", h.pause_reason as "pauseReason",
            pending.n as pending, pending.since as "oldestPendingAt",
            case when h.paused_at is not null then pending.due + interval '${constant(deliveryDays)} days' end
              as "pendingDroppedFrom",
            dead.n as dead
          from webhooks w left join endpoints e using (app_id) cross join ${HEALTH} h, lateral (
            select count(*)::integer as n, min(created_at) as since, min(next_at) as due from deliveries d
            where d.app_id = w.app_id and d.finished_at is null
          ) pending, lateral (
            select count(*)::integer as n from deliveries d where d.app_id = w.app_id and d.outcome = 'dead'
          ) dead
          where app_id = ${app}
        `)
        return Option.isSome(webhook) ? webhook.value : yield* webhooks.failWithout(app)
      }, orDefect),

      test: send,

      deliveries: Effect.fn("Webhooks.deliveries")(function* (app, { cursor = END, limit, state = null, store }) {
        yield* webhooks.require(app)
        const page = selectDeliveries(
          (max) =>
            store === undefined
              ? sql`select * from deliveries_before_of_app(${app}, ${cursor}, ${max})`
              : sql`
                  select * from deliveries d
                  where d.store_id = ${store} and d.app_id = ${app} and d.event_id < ${cursor}
                  order by d.event_id desc limit ${max}
                `,
          APP_DELIVERY_MEMBERS,
          { limit, state }
        )
        return yield* readPage(sql`${page}`)
      }, orDefect),

      attempts: Effect.fn("Webhooks.attempts")(function* (app, event) {
        yield* requireDelivery(app, event)
        return yield* readAttempts(sql`
          select
            a.installation_id as "installationId", a.attempt, a.started_at as "startedAt",
            a.duration_ms as "durationMillis", a.status, a.answer, a.error
          from deliveries d join delivery_attempts a using (store_id, event_id, installation_id)
          where d.app_id = ${app} and d.event_id = ${event}
          order by a.installation_id, a.attempt
        `)
      }, orDefect),

      redeliver: Effect.fn("Webhooks.redeliver")(function* (app, event) {
        const resent = yield* log.resend(sql`app_id = ${app} and event_id = ${event}`)
        yield* requireDelivery(app, event)
        return resent
      }, orDefect),

      redeliverSince: Effect.fn("Webhooks.redeliverSince")(function* (app, since, which) {
        yield* webhooks.require(app)
        const where = sql`app_id = ${app} and ${which === "dead" ? sql`outcome = 'dead'` : sql`true`}`
        const { count } = yield* log.resendAll(where, leastUuidOf(since))
        return count
      }, orDefect),

      purge
    })
  })
).pipe(
  Layer.provide(Layer.mergeAll(DeliveryPurge.layer, Resealing.layer, TestDeliveries.layer)),
  Layer.provide(Outgoing.layer)
)
