import { Schema } from "effect"
import type pg from "pg"

/**
 * Every delivery that there has to be, whether or not there is one: from the events and from who wants them, not from
 * the rows that the service made for them. `lapsed` counts attempts of which nobody wrote down what came of them.
 */
const everyDelivery = `
  select
    e.id || ' ' || i.app_id as key, d.outcome, coalesce(d.attempts, 0) as attempts,
    count(a.attempt)::int as logged,
    count(a.attempt) filter (where a.duration_ms is null)::int as lapsed
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
  lapsed: Schema.Int
})
const entriesOf = Schema.decodeUnknownPromise(Schema.Array(Entry))

/** What a receiver saw, held against what the database says that it had to see. Deliveries by event and app. */
export interface Books {
  /** How many there had to be. */
  readonly due: number
  /** Of these, never arrived. */
  readonly lost: ReadonlyArray<string>
  /** Arrived, but nobody was to be told. */
  readonly strange: ReadonlyArray<string>
  /** Arrived more often than attempts are counted: not the doubles that a crash excuses. */
  readonly unexplained: ReadonlyArray<string>
  /** Not written down as delivered, or with another number of attempts in the log than there were. */
  readonly unwritten: ReadonlyArray<string>
  /** Arrivals beyond the first of each. */
  readonly doubled: number
  /** Attempts that ended with their worker. */
  readonly lapsed: number
}

/** `arrivals`: how often each event reached each app, by `<event id> <app id>`. To be asked when all is finished. */
export const reckon = async (db: pg.Client, arrivals: ReadonlyMap<string, number>): Promise<Books> => {
  const { rows } = await db.query<Record<string, unknown>>(everyDelivery)
  const entries = await entriesOf(rows)
  const known = new Set(entries.map(({ key }) => key))
  const times = (key: string) => arrivals.get(key) ?? 0
  const keysOf = (which: (entry: typeof Entry.Type) => boolean) => entries.filter(which).map(({ key }) => key)
  return {
    due: entries.length,
    lost: keysOf(({ key }) => times(key) === 0),
    strange: [...arrivals.keys()].filter((key) => !known.has(key)),
    unexplained: keysOf(({ attempts, key }) => times(key) > attempts),
    unwritten: keysOf(({ attempts, logged, outcome }) => outcome !== "delivered" || attempts !== logged),
    doubled: [...arrivals.values()].reduce((sum, n) => sum + n - 1, 0),
    lapsed: entries.reduce((sum, { lapsed }) => sum + lapsed, 0)
  }
}

/** Adds an arrival. The receiver's URL ends with the app's id. */
export const enter = (arrivals: Map<string, number>, eventId: string | undefined, path: string) => {
  const key = `${eventId} ${path.slice(path.lastIndexOf("/") + 1)}`
  arrivals.set(key, (arrivals.get(key) ?? 0) + 1)
}
