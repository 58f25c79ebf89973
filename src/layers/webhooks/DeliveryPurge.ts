import { LOG_DAYS } from "../../domain/webhooks/Webhook.ts"
import { constant, sql } from "../sql/Statement.ts"
import { BATCH, deleteEnded, endedOf, listed, purgeOf } from "../Purging.ts"

const KEPT = `${LOG_DAYS} days`

// now() and not clock_timestamp(), which no index answers.
const LONG_AGO = sql`<= now() - interval '${sql.literal(KEPT)}'`

const FINISHED = {
  table: "deliveries",
  key: ["store_id", "event_id", "installation_id"],
  end: "finished_at",
  kept: KEPT
}

/** Deliveries go with their attempts. */
const ATTEMPTS = sql`, attempts as (
  delete from delivery_attempts a using ${listed(FINISHED.key)}
  where a.store_id = listed.store_id and a.event_id = listed.event_id and a.installation_id = listed.installation_id
)`

export const purgeFinished = purgeOf(FINISHED, ATTEMPTS)

/** What a paused webhook has missed for so long. Without a pause it is kept: a worker may come and send it. */
export const purgeMissed = sql`
  with ended as materialized (
    select d.store_id, d.event_id, d.installation_id from webhooks w cross join lateral (
      select store_id, event_id, installation_id from deliveries d
      where d.app_id = w.app_id and d.finished_at is null and d.next_at ${LONG_AGO}
      order by d.next_at limit ${constant(BATCH)} for update skip locked
    ) d
    where w.paused_at is not null limit ${constant(BATCH)}
  )${ATTEMPTS} ${deleteEnded(FINISHED)}
`

/**
 * An event that a delivery still needs is moved to where it stands in its order then, so that the next purge does not
 * come upon it again: of a webhook that was resumed after weeks that may be all its events.
 */
export const purgeEvents = sql`
  with ${endedOf({ table: "events", key: ["store_id", "id"], end: "coalesce(needed_at, occurred_at)", kept: KEPT })},
  needed as materialized (
    select store_id, id, (
      select max(coalesce(d.finished_at, now())) from deliveries d
      where d.store_id = ended.store_id and d.event_id = ended.id
    ) as at from ended
  ), moved as (
    update events e set needed_at = listed.at
    from ${listed(["store_id", "id", "at"], `needed where at > now() - interval '${KEPT}'`)}
    where e.store_id = listed.store_id and e.id = listed.id
    returning 1
  ), deleted as (
    delete from events e using ${listed(["store_id", "id"], "needed where at is null")}
    where e.store_id = listed.store_id and e.id = listed.id
    returning 1
  )
  select 1 from moved union all select 1 from deleted
`
