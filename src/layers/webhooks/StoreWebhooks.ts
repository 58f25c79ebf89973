import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, type InstallationId } from "../../domain/access/Ids.ts"
import { InstallationSuspended, InstallationNotFound } from "../../domain/access/Installations.ts"
import { EventId } from "../../domain/Events.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryNotFound } from "../../domain/webhooks/Webhook.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { END, pageReader, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson, rowReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { time } from "../sql/Times.ts"
import { DELIVERY_MEMBERS, DeliveryLog, selectDeliveries } from "./DeliveryLog.ts"
import { HEALTH } from "./Health.ts"

/** State of an installation in the journal, with and without a hold. */
const PAUSED = { deliveries: "paused" }
const ACTIVE = { deliveries: "active" }

const readInstalled = rowReader(Schema.Struct({ appId: Schema.toType(AppId), isActive: Schema.Boolean }))
const readPage = pageReader(EventId)

export const StoreWebhooksLive = Layer.effect(
  StoreWebhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const log = yield* DeliveryLog
    const { record: recordAdministered } = yield* AdministeredChanges
    const { lockStore } = yield* StoreAllocation

    const requireInstalled = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const installation = yield* readInstalled(sql`
        select app_id as "appId", is_active as "isActive" from installations
        where store_id = ${store} and id = ${id} and uninstalled_at is null
      `)
      return Option.isSome(installation) ? installation.value : yield* new InstallationNotFound({ id })
    })

    const show = Effect.fn("StoreWebhooks.show")(function* (store: StoreId, id: InstallationId) {
      const json = yield* findJson(sql`
        select json_build_object(
          'installationId', i.id, 'host', substring(w.url from '^[a-z]+://([^/?#]+)'),
          'kinds', coalesce(w.kinds, '{}'), 'failingSince', ${time("h.failing_since")},
          'calledAt', ${time("h.called_at")}, 'testFailedAt', ${time("h.test_failed_at")},
          'pausedAt', ${time("h.paused_at")}, 'pauseReason', h.pause_reason, 'heldSince', ${time("i.held_at")}
        )::text as json
        from installations i left join webhooks w on w.app_id = i.app_id left join endpoints e on e.app_id = i.app_id
        cross join ${HEALTH} h
        where i.store_id = ${store} and i.id = ${id} and i.uninstalled_at is null
      `)
      return Option.isSome(json) ? json.value : yield* new InstallationNotFound({ id })
    }, orDefect)

    /** Sets or removes the hold. Returns false if the installation already had that state, or does not exist. */
    const setHold = (store: StoreId, id: InstallationId, isHeld: boolean) =>
      Effect.map(
        rowCount(sql`
          update installations set held_at = case when ${isHeld} then statement_timestamp() end
          where store_id = ${store} and id = ${id} and (held_at is null) = ${isHeld} and uninstalled_at is null
        `),
        (count) => count > 0
      )

    const releaseHeld = (store: StoreId, id: InstallationId) =>
      log.resendAll(sql`store_id = ${store} and installation_id = ${id} and outcome = 'held'`)

    const deliveryKey = (store: StoreId, id: InstallationId, event: EventId) =>
      sql`store_id = ${store} and installation_id = ${id} and event_id = ${event}`

    return StoreWebhooks.of({
      show,

      deliveries: Effect.fn("StoreWebhooks.deliveries")(function* (
        store,
        id,
        { cursor, limit, since, state = null, until }
      ) {
        yield* requireInstalled(store, id)
        const end = until === undefined ? END : leastUuidOf(until)
        const before = cursor !== undefined && cursor < end ? cursor : end
        const from = since === undefined ? START : leastUuidOf(since)
        return yield* readPage(
          sql`${selectDeliveries(
            (max) => sql`
              select * from deliveries d
              where d.store_id = ${store} and d.installation_id = ${id} and d.event_id < ${before}
                and d.event_id >= ${from}
              order by d.event_id desc limit ${max}
            `,
            DELIVERY_MEMBERS,
            { limit, state }
          )}`
        )
      }, orDefect),

      delivery: Effect.fn("StoreWebhooks.delivery")(function* (store, id, event) {
        const { appId } = yield* requireInstalled(store, id)
        const delivery = yield* log.find(
          deliveryKey(store, id, event),
          sql`
            ${DELIVERY_MEMBERS}, 'log', (
              select coalesce(json_agg(json_build_object(
                'attempt', a.attempt, 'startedAt', ${time("a.started_at")}, 'durationMillis', a.duration_ms,
                'status', a.status, 'error', a.error
              ) order by a.attempt), '[]')
              from delivery_attempts a
              where a.store_id = d.store_id and a.event_id = d.event_id and a.installation_id = d.installation_id
            )
          `
        )
        return Option.isSome(delivery) ? delivery.value : yield* new DeliveryNotFound({ appId, eventId: event })
      }, orDefect),

      redeliver: Effect.fn("StoreWebhooks.redeliver")(function* (store, id, event) {
        const { appId, isActive } = yield* requireInstalled(store, id)
        if (!isActive) yield* new InstallationSuspended()
        yield* log.resend(deliveryKey(store, id, event))
        const delivery = yield* log.find(deliveryKey(store, id, event), DELIVERY_MEMBERS)
        return Option.isSome(delivery) ? delivery.value : yield* new DeliveryNotFound({ appId, eventId: event })
      }, orDefect),

      hold: Effect.fn("StoreWebhooks.hold")(function* (store, id) {
        if (yield* setHold(store, id, true)) {
          yield* recordAdministered(store, "installation", id, ACTIVE, PAUSED)
        }
        return yield* show(store, id)
      }, orDefect),

      // Most deliveries are released before the store is locked. Writes that saw the hold commit before the lock, and
      // their deliveries are released after it.
      release: Effect.fn("StoreWebhooks.release")(function* (store, id) {
        if (yield* setHold(store, id, false)) {
          yield* releaseHeld(store, id)
          yield* lockStore(store)
          yield* releaseHeld(store, id)
          yield* recordAdministered(store, "installation", id, PAUSED, ACTIVE)
        }
        return yield* show(store, id)
      }, orDefect)
    })
  })
)
