import { Schema } from "effect"
import type pg from "pg"

/**
 * All expected deliveries, computed from events and subscriptions, not from the rows of deliveries. `expiredLeases` counts
 * attempts without a recorded result.
 */
const everyDelivery = `
  select
    e.id || ' ' || i.app_id as key, d.outcome, coalesce(d.attempts, 0) as attempts,
    count(a.attempt)::int as logged,
    count(a.attempt) filter (where a.duration_ms is null)::int as "expiredLeases"
  from events e
  join installations i on i.store_id = e.store_id and i.id is distinct from e.origin_installation_id
  join webhooks w on w.app_id = i.app_id and e.kind = any(w.kinds)
  left join deliveries d on d.store_id = e.store_id and d.event_id = e.id and d.installation_id = i.id
  left join delivery_attempts a on a.store_id = e.store_id and a.event_id = e.id and a.installation_id = i.id
  group by 1, 2, 3
`

const Entry = Schema.Struct({
  key: Schema.String,
  outcome: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  logged: Schema.Int,
  expiredLeases: Schema.Int
})
const entriesOf = Schema.decodeUnknownPromise(Schema.Array(Entry))

/** Comparison of the deliveries that a receiver got with those that the database expects, by event and app. */
export interface DeliveryAudit {
  /** Number of expected deliveries. */
  readonly due: number
  /** Expected, but not received. */
  readonly lost: ReadonlyArray<string>
  /** Received, but not expected. */
  readonly unexpected: ReadonlyArray<string>
  /** Received more often than attempts are counted, except for duplicates after a crash. */
  readonly unexplained: ReadonlyArray<string>
  /** Not recorded as delivered, or with a wrong number of attempts. */
  readonly unrecorded: ReadonlyArray<string>
  /** Receptions after the first of each delivery. */
  readonly duplicates: number
  /** Attempts that ended with their worker. */
  readonly expiredLeases: number
}

/** Compares the receptions by `<event id> <app id>` with the database, once all deliveries are finished. */
export const auditDeliveries = async (db: pg.Client, arrivals: ReadonlyMap<string, number>): Promise<DeliveryAudit> => {
  const { rows } = await db.query<Record<string, unknown>>(everyDelivery)
  const entries = await entriesOf(rows)
  const known = new Set(entries.map(({ key }) => key))
  const times = (key: string) => arrivals.get(key) ?? 0
  const keysOf = (which: (entry: typeof Entry.Type) => boolean) => entries.filter(which).map(({ key }) => key)
  return {
    due: entries.length,
    lost: keysOf(({ key }) => times(key) === 0),
    unexpected: [...arrivals.keys()].filter((key) => !known.has(key)),
    unexplained: keysOf(({ attempts, key }) => times(key) > attempts),
    unrecorded: keysOf(({ attempts, logged, outcome }) => outcome !== "delivered" || attempts !== logged),
    duplicates: [...arrivals.values()].reduce((sum, n) => sum + n - 1, 0),
    expiredLeases: entries.reduce((sum, { expiredLeases }) => sum + expiredLeases, 0)
  }
}

/** Counts a reception. The receiver's URL ends with the app's id. */
export const countReception = (arrivals: Map<string, number>, eventId: string | undefined, path: string) => {
  const key = `${eventId} ${path.slice(path.lastIndexOf("/") + 1)}`
  arrivals.set(key, (arrivals.get(key) ?? 0) + 1)
}
