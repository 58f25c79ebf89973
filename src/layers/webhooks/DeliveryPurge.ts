import type { SqlClient } from "effect/sql"
import { LOG_DAYS } from "../../domain/webhooks/Webhook.ts"
import { constant } from "../sql/Statement.ts"

/** Maximum number of rows that a statement deletes, so that it never holds many locks. */
const BATCH = 1000

/**
 * Statements that delete what is older than {@link LOG_DAYS} days, a batch at a time. They compare with `now()`, because
 * indexes are not used for `clock_timestamp()`. Rows are joined as lists, which the planner expects to be short, so that
 * it looks them up by key however large the table was when it was planned. Limits are part of the text: for a parameter,
 * the planner expects a tenth of the table.
 */
export const makeDeliveryPurge = (sql: SqlClient.SqlClient) => {
  const retention = sql`interval '${constant(LOG_DAYS)} days'`
  const batch = constant(BATCH)

  return {
    /** Deletes finished deliveries and their attempts. */
    deleteFinished: sql`
      with ended as materialized (
        select store_id, event_id, installation_id from deliveries where finished_at <= now() - ${retention}
        order by finished_at limit ${batch} for update skip locked
      ), attempts as (
        delete from delivery_attempts a using unnest(
          array(select store_id from ended), array(select event_id from ended), array(select installation_id from ended)
        ) as listed (store_id, event_id, installation_id)
        where a.store_id = listed.store_id and a.event_id = listed.event_id
          and a.installation_id = listed.installation_id
      )
      delete from deliveries t using unnest(
        array(select store_id from ended), array(select event_id from ended), array(select installation_id from ended)
      ) as listed (store_id, event_id, installation_id)
      where t.store_id = listed.store_id and t.event_id = listed.event_id and t.installation_id = listed.installation_id
    `,

    /** Deletes due deliveries of paused webhooks. Those of active webhooks stay, because a worker may start and send them. */
    deleteMissed: sql`
      with ended as materialized (
        select d.store_id, d.event_id, d.installation_id from webhooks w cross join lateral (
          select store_id, event_id, installation_id from deliveries d
          where d.app_id = w.app_id and d.finished_at is null and d.next_at <= now() - ${retention}
          order by d.next_at limit ${batch} for update skip locked
        ) d
        where w.paused_at is not null limit ${batch}
      ), attempts as (
        delete from delivery_attempts a using unnest(
          array(select store_id from ended), array(select event_id from ended), array(select installation_id from ended)
        ) as listed (store_id, event_id, installation_id)
        where a.store_id = listed.store_id and a.event_id = listed.event_id
          and a.installation_id = listed.installation_id
      )
      delete from deliveries t using unnest(
        array(select store_id from ended), array(select event_id from ended), array(select installation_id from ended)
      ) as listed (store_id, event_id, installation_id)
      where t.store_id = listed.store_id and t.event_id = listed.event_id and t.installation_id = listed.installation_id
    `,

    /**
     * Deletes events without deliveries. An event with deliveries moves back in the order of the purge to the end of its
     * last delivery, so that the next batch does not examine it again: a webhook that was resumed after weeks may need
     * all of its events.
     */
    deleteEvents: sql`
      with ended as materialized (
        select store_id, id from events where coalesce(needed_at, occurred_at) <= now() - ${retention}
        order by coalesce(needed_at, occurred_at) limit ${batch} for update skip locked
      ), needed as materialized (
        select store_id, id, (
          select max(coalesce(d.finished_at, now())) from deliveries d
          where d.store_id = ended.store_id and d.event_id = ended.id
        ) as at from ended
      ), moved as (
        update events e set needed_at = listed.at
        from unnest(
          array(select store_id from needed where at > now() - ${retention}),
          array(select id from needed where at > now() - ${retention}),
          array(select at from needed where at > now() - ${retention})
        ) as listed (store_id, id, at)
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      ), deleted as (
        delete from events e
        using unnest(
          array(select store_id from needed where at is null), array(select id from needed where at is null)
        ) as listed (store_id, id)
        where e.store_id = listed.store_id and e.id = listed.id
        returning 1
      )
      select 1 from moved union all select 1 from deleted
    `
  }
}
