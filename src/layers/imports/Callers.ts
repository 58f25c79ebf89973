import { Effect, Schedule, Schema } from "effect"
import type { DatabaseOf } from "../database/Database.ts"
import { statement } from "../database/Statement.ts"

/** Between two looks. The database counts what was read within a second of it. */
const EVERY = "2 seconds"

/** How often whoever calls was looked up. An import asks none of these tables, a server that nobody calls hardly ever. */
const selectLookups = statement(`
  select coalesce(sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)), 0)::float8 as lookups
  from pg_stat_user_tables where relname in ('access_tokens', 'agent_tokens', 'sessions')
`)()

/** Who calls the service while an import runs: they are assumed to until two looks have found that nobody does. */
export const makeCallers = ({ one }: DatabaseOf) => {
  const lookups = one(Schema.Struct({ lookups: Schema.Number }))(selectLookups)
  let before: number | undefined
  let areQuiet = false
  const note = (now: number | undefined) => {
    areQuiet = now !== undefined && now === before
    before = now
  }
  // A look that fails says nothing of anybody. The import finds out for itself that the database is out of reach.
  const look = Effect.catchCause(
    Effect.map(lookups, ({ lookups }) => note(lookups)),
    () => Effect.sync(() => note(undefined))
  )
  return {
    areQuiet: () => areQuiet,
    /** Looks for as long as the scope lasts. */
    watch: look.pipe(Effect.repeat(Schedule.spaced(EVERY)), Effect.forkScoped, Effect.asVoid)
  }
}
