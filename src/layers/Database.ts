import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { databaseOptions } from "./DatabaseConfig.ts"
import { migrate, migrations } from "./Migrations.ts"
import { DatabaseFailed, explainDatabaseError, type DatabaseSource } from "./sql/DatabaseFailed.ts"
import { postgres } from "./sql/Postgres.ts"
import { rowsReader } from "./sql/Rows.ts"
import { FIXED_SETTINGS, TIMEOUTS } from "./sql/Session.ts"

const readProblems = rowsReader(Schema.Struct({ reason: Schema.String }))

/** Fails if a pooler dropped the settings of the session. Without its timeouts, statements could wait for ever. */
const checkSession = Effect.fnUntraced(function* ({ name, url }: DatabaseSource) {
  const sql = yield* SqlClient.SqlClient
  const problems = yield* Effect.mapError(
    readProblems(sql`
      select 'no timeout, or too long a one, for ' || string_agg(name, ', ' order by name) as reason
      from unnest(${Object.keys(TIMEOUTS)}::text[], ${Object.values(TIMEOUTS)}::integer[]) as timeouts (name, most)
      join pg_settings using (name) where setting::integer not between 1 and most having count(*) > 0
      union all
      select string_agg(name || ' is ' || setting, ' and ' order by name)
      from unnest(${Object.keys(FIXED_SETTINGS)}::text[], ${Object.values(FIXED_SETTINGS)}::text[]) as fixed (name, expected)
      join pg_settings using (name) where setting <> expected having count(*) > 0
    `),
    explainDatabaseError({ name, url })
  )
  if (problems.length === 0) return
  const reason = problems.map((problem) => problem.reason).join("; ")
  return yield* new DatabaseFailed({
    name,
    url,
    reason,
    remedy: "Set it in the pooler, or for the role (docs/poolers.md)"
  })
})

/**
 * Connects to the database and migrates it. Migrations, and the wait for another process that migrates, have no limit.
 */
export const DatabaseLive = Layer.unwrap(
  Effect.map(databaseOptions, (options) => {
    const direct = options.directUrl === undefined ? options : { name: "DATABASE_DIRECT_URL", url: options.directUrl }
    // The second connection cancels the statement of a migration when the process stops.
    const migrated = migrate(migrations).pipe(
      Effect.provide(postgres({ url: direct.url, maxConnections: 2, withoutTimeouts: true })),
      Effect.mapError(explainDatabaseError(direct)),
      Layer.effectDiscard
    )
    return Layer.effectDiscard(checkSession(options)).pipe(
      Layer.provideMerge(postgres(options)),
      Layer.provideMerge(migrated)
    )
  })
)
