import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { orDefect } from "../sql/Errors.ts"
import { PURGE_BATCH, deleteExpired, expiredRows, unnestRows, purgeExpired } from "../sql/Purging.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { HEALTH } from "./Health.ts"
import { makeWeekPartitions } from "./WeekPartitions.ts"
import { isMoving } from "../storeMove/Moving.ts"

const readTables = rowsReader(Schema.Struct({ name: Schema.String }))

/**
 * Deletes what is older than `DELIVERY_DAYS`, a batch at a time. The statements compare with `now()`, because indexes
 * are not used for `clock_timestamp()`.
 */
export class DeliveryPurge extends Context.Service<DeliveryPurge>()("layers/webhooks/DeliveryPurge", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { deliveryDays } = yield* OperatorLimits
    const [events, attempts] = [
      yield* makeWeekPartitions({ table: "events", id: "id" }),
      yield* makeWeekPartitions({ table: "delivery_attempts", id: "event_id" })
    ]
    const retention = `${deliveryDays} days`
    const expiredDeliveries = {
      table: "deliveries",
      key: ["store_id", "event_id", "installation_id"],
      end: "finished_at",
      retention
    }
    const expiredEvents = (table: string) => ({
      table,
      key: ["store_id", "id"],
      end: "coalesce(needed_at, occurred_at)",
      retention
    })
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
          where d.app_id = w.app_id and d.finished_at is null and d.next_at <= ${cutoff} and not ${isMoving("d")}
          order by d.next_at limit ${batch} for update skip locked
        ) d
        where h.paused_at is not null limit ${batch}
      )${deleteAttempts} ${deleteExpired(expiredDeliveries)}
    `

    /** Partitions with the index for deletions one by one: the default one, and the table of before there were weeks. */
    const undivided = readTables(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'events'::regclass
        and exists (select from pg_index x where x.indrelid = c.oid and x.indexprs is not null)
      order by c.oid
    `)

    /**
     * Deletes events of a partition without deliveries. An event with deliveries moves back in the order of the purge to
     * the end of its last delivery, so that the next batch does not examine it again: a webhook that was resumed after
     * weeks may need all of its events.
     */
    const deleteEvents = (table: string) => sql`
      with ${expiredRows(expiredEvents(table))}, needed as materialized (
        select store_id, id, (
          select max(coalesce(d.finished_at, now())) from deliveries d
          where d.store_id = expired.store_id and d.event_id = expired.id
        ) as at from expired
      ), moved as (
        update ${sql(table)} e set needed_at = listed.at
        from ${unnestRows(["store_id", "id", "at"], `needed where at > now() - interval '${retention}'`)}
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      ), deleted as (
        delete from ${sql(table)} e using ${unnestRows(expiredEvents(table).key, "needed where at is null")}
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      )
      select 1 from moved union all select 1 from deleted
    `

    return {
      // Events and attempts last, when no expired delivery refers to them any more.
      purge: Effect.gen(function* () {
        yield* Effect.andThen(events.create, attempts.create)
        const finished = yield* rowCount(deleteFinished)
        const missed = yield* rowCount(deleteMissed)
        let deleted = finished + missed
        if (deleted > 0) return deleted
        for (const { name } of yield* undivided) deleted += yield* rowCount(deleteEvents(name))
        return deleted + (yield* events.drop) + (yield* attempts.drop)
      }).pipe(orDefect, Effect.withSpan("DeliveryPurge.purge"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
