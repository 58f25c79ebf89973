import { Data, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { databaseOptions, migratesOnStart } from "./DatabaseConfig.ts"
import { checkEncoding, findMissingMigration, migrateDatabase } from "./Migrations.ts"
import { DatabaseFailed, explainDatabaseError, type DatabaseSource } from "./sql/DatabaseFailed.ts"
import { postgres } from "./sql/Postgres.ts"
import { rowsReader } from "./sql/Rows.ts"
import { FIXED_SETTINGS, TIMEOUTS } from "./sql/Session.ts"

/** The database lacks migrations, and `MIGRATE_ON_START` is false. */
class IncompleteSchema extends Data.TaggedError("IncompleteSchema")<{ readonly missing: string }> {
  override get message() {
    return `The schema lacks migration ${this.missing}`
  }
}

const readProblems = rowsReader(Schema.Struct({ reason: Schema.String }))

/** Fails if a pooler dropped the settings of the session. Without its timeouts, statements could wait for ever. */
export const checkSession = Effect.fnUntraced(function* ({ name, url }: DatabaseSource) {
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

/** Connects to the database after `prepare`, which runs on connections without timeouts that bypass a pooler. */
const connectAfter = <E>(prepare: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  Layer.unwrap(
    Effect.map(databaseOptions, (options) => {
      const direct = options.directUrl === undefined ? options : { name: "DATABASE_DIRECT_URL", url: options.directUrl }
      // The second connection cancels the statement of a migration when the process stops.
      const prepared = prepare.pipe(
        Effect.provide(postgres({ url: direct.url, maxConnections: 2, withoutTimeouts: true })),
        Effect.mapError(explainDatabaseError(direct)),
        Layer.effectDiscard
      )
      return Layer.effectDiscard(checkSession(options)).pipe(
        Layer.provideMerge(postgres(options)),
        Layer.provideMerge(prepared)
      )
    })
  )

/**
 * Connects to the database and migrates it. Migrations, and the wait for another process that migrates, have no limit.
 */
export const MigratedDatabaseLive = connectAfter(migrateDatabase)

const migratedOr = <E>(otherwise: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  Layer.unwrap(
    Effect.map(migratesOnStart, (migrates) =>
      migrates
        ? MigratedDatabaseLive
        : connectAfter(Effect.andThen(Effect.flatMap(SqlClient.SqlClient, checkEncoding), otherwise))
    )
  )

const missingMigration = Effect.flatMap(SqlClient.SqlClient, findMissingMigration)

/** Fails if the database has the schema of another build. It may lack migrations. */
export const checkSchema = (source: DatabaseSource) =>
  Effect.asVoid(Effect.mapError(missingMigration, explainDatabaseError(source)))

/** Database of a command. Without `MIGRATE_ON_START`, the command fails on an incomplete schema. */
export const DatabaseLive = migratedOr(
  Effect.gen(function* () {
    const missing = yield* missingMigration
    if (Option.isSome(missing)) return yield* new IncompleteSchema({ missing: missing.value })
  })
)

/** Database of a server or worker. Without `MIGRATE_ON_START` its schema can be incomplete ({@link awaitSchema}). */
export const ProcessDatabaseLive = migratedOr(Effect.asVoid(missingMigration))

/** Waits until another process has migrated the database. */
export const awaitSchema = Effect.gen(function* () {
  const missing = yield* missingMigration
  if (Option.isNone(missing)) return
  yield* Effect.logWarning(`Not ready: the schema lacks migration ${missing.value}. Run: partner-api migrate`)
  yield* Effect.repeat(missingMigration, { until: Option.isNone, schedule: Schedule.spaced("1 second") })
  yield* Effect.logInfo("The schema is complete")
})
