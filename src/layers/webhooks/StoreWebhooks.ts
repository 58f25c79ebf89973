import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { InstallationSuspended, InstallationNotFound } from "../../domain/access/Installations.ts"
import { EventId } from "../../domain/Events.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryNotFound, MAX_EXAMINED_DELIVERIES } from "../../domain/webhooks/Webhook.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { END, pageReader, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { time } from "../sql/Times.ts"
import { deliveryMembers } from "./DeliveryLog.ts"
import { insertInterruptedAttempts } from "./DeliveryQueue.ts"

/** Maximum number of deliveries that a statement releases. */
const BATCH = 5000

/** State of an installation in the journal, with and without a hold. */
const PAUSED = { deliveries: "paused" }
const ACTIVE = { deliveries: "active" }

interface JsonRow {
  readonly json: string
}

interface InstalledRow {
  readonly appId: AppId
  readonly isActive: boolean
}

const readPage = pageReader(EventId)

export const StoreWebhooksLive = Layer.effect(
  StoreWebhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const { lockStore } = yield* StoreAllocation

    const requireInstalled = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const [installation] = yield* sql<InstalledRow>`
        select app_id as "appId", is_active as "isActive" from installations
        where store_id = ${store} and id = ${id} and uninstalled_at is null
      `
      return installation ?? (yield* new InstallationNotFound({ id }))
    })

    const findWebhook = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const [webhook] = yield* sql<JsonRow>`
        select json_build_object(
          'installationId', i.id, 'host', substring(w.url from '^[a-z]+://([^/?#]+)'),
          'kinds', coalesce(w.kinds, '{}'), 'failingSince', ${time("w.failing_since")},
          'pausedAt', ${time("w.paused_at")}, 'pauseReason', w.pause_reason, 'heldSince', ${time("i.held_at")}
        )::text as json
        from installations i left join webhooks w on w.app_id = i.app_id
        where i.store_id = ${store} and i.id = ${id} and i.uninstalled_at is null
      `
      return webhook?.json ?? (yield* new InstallationNotFound({ id }))
    })

    /** Sets or removes the hold. Returns false if the installation already had that state, or does not exist. */
    const setHold = (store: StoreId, id: InstallationId, isHeld: boolean) =>
      Effect.map(
        rowCount(sql`
          update installations set held_at = case when ${isHeld} then statement_timestamp() end
          where store_id = ${store} and id = ${id} and (held_at is null) = ${isHeld} and uninstalled_at is null
        `),
        (count) => count > 0
      )

    /** Makes all held deliveries due, in batches. */
    const releaseHeld = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      let from: string | undefined = START
      while (from !== undefined) {
        const rows: ReadonlyArray<{ readonly last: string }> = yield* sql<{ readonly last: string }>`
          with chosen as materialized (
            select store_id, event_id, installation_id from deliveries
            where store_id = ${store} and installation_id = ${id} and event_id > ${from} and outcome = 'held'
            order by event_id limit ${constant(BATCH)} for update
          ), released as (
            update deliveries d
            set outcome = null, finished_at = null, lease = null, failures = 0, next_at = statement_timestamp()
            from chosen c
            where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
          )
          select max(event_id::text) as last from chosen having count(*) > 0
        `
        from = rows[0]?.last
      }
    })

    return StoreWebhooks.of({
      show: Effect.fn("StoreWebhooks.show")(findWebhook, orDefect),

      deliveries: Effect.fn("StoreWebhooks.deliveries")(function* (
        store,
        id,
        { cursor, limit, since, state = null, until }
      ) {
        yield* requireInstalled(store, id)
        const end = until === undefined ? END : leastUuidOf(until)
        const before = cursor !== undefined && cursor < end ? cursor : end
        const from = since === undefined ? START : leastUuidOf(since)
        const examined = constant(MAX_EXAMINED_DELIVERIES)
        return yield* readPage(
          sql`
            with examined as materialized (
              select * from deliveries d
              where d.store_id = ${store} and d.installation_id = ${id} and d.event_id < ${before}
                and d.event_id >= ${from}
              order by d.event_id desc limit case when ${state}::text is null then ${limit} + 1 else ${examined} end
            ), page as materialized (
              select *, row_number() over (order by event_id desc) as position from examined
              where ${state}::text is null or coalesce(outcome, 'pending') = ${state}
              order by event_id desc limit ${limit} + 1
            )
            select
              '[' || coalesce(
                string_agg(json_build_object(${deliveryMembers(sql)})::text, ',' order by event_id desc)
                  filter (where position <= ${limit}), ''
              ) || ']' as items,
              case
                when count(*) > ${limit} then max(event_id::text) filter (where position = ${limit})
                when ${state}::text is not null and (select count(*) from examined) = ${examined}
                  then (select min(event_id::text) from examined)
              end as "nextCursor"
            from page d
          `
        )
      }, orDefect),

      delivery: Effect.fn("StoreWebhooks.delivery")(function* (store, id, event) {
        const { appId } = yield* requireInstalled(store, id)
        const [delivery] = yield* sql<JsonRow>`
          select json_build_object(${deliveryMembers(sql)}, 'log', (
            select coalesce(json_agg(json_build_object(
              'attempt', a.attempt, 'startedAt', ${time("a.started_at")}, 'durationMillis', a.duration_ms,
              'status', a.status, 'error', a.error
            ) order by a.attempt), '[]')
            from delivery_attempts a
            where a.store_id = d.store_id and a.event_id = d.event_id and a.installation_id = d.installation_id
          ))::text as json
          from deliveries d
          where d.store_id = ${store} and d.installation_id = ${id} and d.event_id = ${event}
        `
        return delivery?.json ?? (yield* new DeliveryNotFound({ appId, eventId: event }))
      }, orDefect),

      redeliver: Effect.fnUntraced(function* (store, id, event) {
        const { appId, isActive } = yield* requireInstalled(store, id)
        if (!isActive) yield* new InstallationSuspended()
        yield* sql`
          with chosen as materialized (
            select * from deliveries
            where store_id = ${store} and installation_id = ${id} and event_id = ${event}
              and (lease is null or next_at <= now())
            for update
          ), interrupted as (
            ${insertInterruptedAttempts(sql, "chosen")}
          )
          update deliveries d
          set outcome = null, finished_at = null, lease = null, failures = 0, next_at = statement_timestamp()
          from chosen c
          where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
        `
        const [delivery] = yield* sql<JsonRow>`
          select json_build_object(${deliveryMembers(sql)})::text as json from deliveries d
          where d.store_id = ${store} and d.installation_id = ${id} and d.event_id = ${event}
        `
        return delivery?.json ?? (yield* new DeliveryNotFound({ appId, eventId: event }))
      }, orDefect),

      hold: Effect.fnUntraced(function* (store, id) {
        if (yield* setHold(store, id, true)) {
          yield* recordAdministered(store, "installation", id, ACTIVE, PAUSED)
        }
        return yield* findWebhook(store, id)
      }, orDefect),

      // Most deliveries are released before the store is locked. Writes that saw the hold commit before the lock, and
      // their deliveries are released after it.
      release: Effect.fnUntraced(function* (store, id) {
        if (yield* setHold(store, id, false)) {
          yield* releaseHeld(store, id)
          yield* lockStore(store)
          yield* releaseHeld(store, id)
          yield* recordAdministered(store, "installation", id, PAUSED, ACTIVE)
        }
        return yield* findWebhook(store, id)
      }, orDefect)
    })
  })
)
