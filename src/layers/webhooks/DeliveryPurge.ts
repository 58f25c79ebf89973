import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { orDefect } from "../sql/Errors.ts"
import { PURGE_BATCH, deleteExpired, expiredRows, unnestRows, purgeExpired } from "../sql/Purging.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { makeAttemptPartitions } from "./AttemptPartitions.ts"
import { HEALTH } from "./Health.ts"

/**
 * Deletes what is older than `DELIVERY_DAYS`, a batch at a time. The statements compare with `now()`, because indexes
 * are not used for `clock_timestamp()`.
 */
export class DeliveryPurge extends Context.Service<DeliveryPurge>()("layers/webhooks/DeliveryPurge", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { deliveryDays } = yield* OperatorLimits
    const partitions = yield* makeAttemptPartitions
    const retention = `${deliveryDays} days`
    const expiredDeliveries = {
      table: "deliveries",
      key: ["store_id", "event_id", "installation_id"],
      end: "finished_at",
      retention
    }
    const expiredEvents = {
      table: "events",
      key: ["store_id", "id"],
      end: "coalesce(needed_at, occurred_at)",
      retention
    }
    const cutoff = sql.literal(`now() - interval '${retention}'`)
    const batch = constant(PURGE_BATCH)

    // The attempts of other partitions are dropped with them.
    const deleteAttempts = sql`, attempts as (
    delete from delivery_attempts_default a using ${unnestRows(expiredDeliveries.key)}
    where a.store_id = listed.store_id and a.event_id = listed.event_id and a.installation_id = listed.installation_id
  )`

    /** Deletes finished deliveries. */
    const deleteFinished = sql`${purgeExpired(expiredDeliveries, deleteAttempts)}`

    /** Deletes due deliveries of paused webhooks. Those of active webhooks stay, because a worker may start and send them. */
    const deleteMissed = sql`
      with expired as materialized (
        select d.store_id, d.event_id, d.installation_id
        from webhooks w left join endpoints e using (app_id) cross join ${HEALTH} h cross join lateral (
          select store_id, event_id, installation_id from deliveries d
          where d.app_id = w.app_id and d.finished_at is null and d.next_at <= ${cutoff}
          order by d.next_at limit ${batch} for update skip locked
        ) d
        where h.paused_at is not null limit ${batch}
      )${deleteAttempts} ${deleteExpired(expiredDeliveries)}
    `

    /**
     * Deletes events without deliveries. An event with deliveries moves back in the order of the purge to the end of its
     * last delivery, so that the next batch does not examine it again: a webhook that was resumed after weeks may need
     * all of its events.
     */
    const deleteEvents = sql`
      with ${expiredRows(expiredEvents)}, needed as materialized (
        select store_id, id, (
          select max(coalesce(d.finished_at, now())) from deliveries d
          where d.store_id = expired.store_id and d.event_id = expired.id
        ) as at from expired
      ), moved as (
        update events e set needed_at = listed.at
        from ${unnestRows(["store_id", "id", "at"], `needed where at > now() - interval '${retention}'`)}
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      ), deleted as (
        delete from events e using ${unnestRows(expiredEvents.key, "needed where at is null")}
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      )
      select 1 from moved union all select 1 from deleted
    `

    return {
      // Events and attempts last, when no expired delivery refers to them any more.
      purge: Effect.gen(function* () {
        yield* partitions.create
        const finished = yield* rowCount(deleteFinished)
        const missed = yield* rowCount(deleteMissed)
        const deleted = finished + missed
        return deleted > 0 ? deleted : (yield* rowCount(deleteEvents)) + (yield* partitions.drop)
      }).pipe(orDefect, Effect.withSpan("DeliveryPurge.purge"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
