import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Option, Record, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import baseline from "./migrations/0001_baseline.ts"
import hashes from "./migrations/hashes.json" with { type: "json" }
import { FIXED_SETTINGS, TIMEOUTS } from "./sql/Session.ts"
import { limitLockWaits, OutsideTransaction, type MigrationSteps } from "./sql/IndexMigration.ts"

type Migration = MigrationSteps | OutsideTransaction

/**
 * The schema of the first release and the changes of later ones. A migration runs in a transaction. A migration that
 * indexes a table in use runs outside of a transaction, as `create index concurrently` requires:
 *
 *     export default new OutsideTransaction({
 *       steps: buildIndex({ name: "orders_by_customer", table: "orders", definition: "(store_id, customer_id)" })
 *     })
 *
 * `npm run generate` writes the hash of each migration to `migrations/hashes.json`.
 */
export const migrations: Readonly<Record<keyof typeof hashes, Migration>> = {
  "0001_baseline": baseline
}

/** Number at the start of a migration's key. */
const idOf = (key: string) => Number(key.slice(0, 4))

const nameOf = (key: string) => key.slice(5)

const keyOf = ({ id, name }: { readonly id: number; readonly name: string }) => `${String(id).padStart(4, "0")}_${name}`

/** A row of the table of migrations. */
const Applied = Schema.Struct({ id: Schema.Int, name: Schema.String, hash: Schema.NullOr(Schema.String) })

const decodeApplied = Schema.decodeUnknownSync(Schema.Array(Applied))

/** Applied migrations by number. */
type AppliedMigrations = ReadonlyMap<number, typeof Applied.Type>

/** Differences that the message names. */
const NAMED = 3

/** The database has other migrations under numbers that this release uses, or the same ones with another content. */
export class SchemaOfAnotherBuild extends Data.TaggedError("SchemaOfAnotherBuild")<{
  readonly differences: ReadonlyArray<string>
}> {
  override get message() {
    const rest = this.differences.length - NAMED
    const named = this.differences.slice(0, NAMED).join(", ")
    return `The schema is of another build: ${named}${rest > 0 ? ` and ${rest} more` : ""}`
  }

  readonly remedy = "Start the release that made the database, or use an empty database"
}

/** The database has the schema of a build before the first release, whose migrations had no hashes. */
export class SchemaBeforeReleases extends Data.TaggedError("SchemaBeforeReleases")<{ readonly newest: string }> {
  override get message() {
    return `The schema is of a build before release 0.2.0 (its newest migration is ${this.newest}), which cannot be upgraded`
  }

  readonly remedy =
    "Export its stores with the build that made it (partner-api export), and import them into an empty database (partner-api import)"
}

/** The database cannot store the characters of all languages. */
export class EncodingNotSupported extends Data.TaggedError("EncodingNotSupported")<{ readonly encoding: string }> {
  override get message() {
    return `The database has the encoding ${this.encoding}, which does not hold all characters`
  }
}

const decodeEncoding = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ encoding: Schema.String })]))

/** Fails unless the encoding of the database is UTF-8. It cannot be changed after the database was created. */
export const checkEncoding = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [{ encoding }] = decodeEncoding(yield* sql`select current_setting('server_encoding') as encoding`)
  if (encoding !== "UTF8") return yield* new EncodingNotSupported({ encoding })
})

/**
 * Makes a client whose statements all run on one connection. Its session has no timeouts except for locks, and the usual
 * isolation level, whatever the role sets. The end of the scope restores them.
 */
const makeSession = Effect.gen(function* () {
  const { reserve } = yield* SqlClient.SqlClient
  const connection = yield* reserve
  const sql = yield* SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
  const limits = Record.map(TIMEOUTS, () => "0")
  const { default_transaction_isolation } = FIXED_SETTINGS
  const settings = { ...limits, default_transaction_isolation }
  const names = Object.keys(settings)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.forEach(names, (name) => sql`reset ${sql(name)}`)))
  yield* sql`
    select set_config(name, value, false)
    from unnest(${names}::text[], ${Object.values(settings)}::text[]) as settings (name, value)
  `
  return sql
})

/**
 * Waits until no other process migrates, and locks migrations until the end of the scope or session. An advisory lock
 * blocks no reader: the migrator of @effect/sql locks its table, and other servers are not ready meanwhile. Waiting
 * processes poll, because `create index concurrently` waits for all running statements, including one that waits for a
 * lock.
 */
const acquireMigrationLock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* Effect.addFinalizer(() => Effect.ignore(sql`select pg_advisory_unlock_all()`))
  const tryLock = sql`select from pg_try_advisory_lock(hashtext('effect_sql_migrations')) as is_acquired where is_acquired`
  yield* Effect.repeat(tryLock, {
    until: ({ length }) => length > 0,
    schedule: Schedule.tap(Schedule.spaced("250 millis"), ({ attempt }) =>
      attempt % 240 === 41 ? Effect.logWarning("Waiting for another process to migrate the database") : Effect.void
    )
  })
})

/** Finds applied migrations; none if their table does not exist. Before the first release, it had no column for hashes. */
const readApplied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql`select from pg_class where oid = to_regclass('effect_sql_migrations')`
  if (tables.length === 0) return Option.none<AppliedMigrations>()
  const rows = decodeApplied(
    yield* sql`select migration_id as id, name, to_jsonb(m) ->> 'hash' as hash from effect_sql_migrations m order by 1`
  )
  return Option.some<AppliedMigrations>(new Map(rows.map((row) => [row.id, row])))
})

/** Creates the table of the migrator of @effect/sql, with the hash of each migration. */
const createMigrationTable = (sql: SqlClient.SqlClient) => sql`
  create table effect_sql_migrations (
    migration_id integer primary key,
    created_at timestamptz not null default now(),
    name text not null,
    hash text not null
  )
`

/** Finds what prevents this release from using the database. */
const findConflict = (
  applied: AppliedMigrations,
  hashes: Readonly<Record<string, string>>
): Option.Option<SchemaOfAnotherBuild | SchemaBeforeReleases> => {
  const rows = [...applied.values()]
  const unhashed = rows.findLast(({ hash }) => hash === null)
  if (unhashed !== undefined) return Option.some(new SchemaBeforeReleases({ newest: keyOf(unhashed) }))
  const differences = Object.entries(hashes).flatMap(([key, hash]) => {
    const found = applied.get(idOf(key))
    if (found === undefined || (found.name === nameOf(key) && found.hash === hash)) return []
    return found.name === nameOf(key)
      ? `its migration ${key} has another content`
      : `it has migration ${keyOf(found)} where this release has ${key}`
  })
  return differences.length === 0 ? Option.none() : Option.some(new SchemaOfAnotherBuild({ differences }))
}

/** Compares the applied migrations with those of this release. */
export const compareSchema = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const applied = Option.getOrElse(yield* readApplied(sql), (): AppliedMigrations => new Map())
  const keys = Object.keys(migrations)
  const known = new Set(keys.map(idOf))
  return {
    conflict: findConflict(applied, hashes),
    missing: keys.filter((key) => !applied.has(idOf(key))),
    newer: [...applied.keys()].filter((id) => !known.has(id)).length
  }
})

/** Finds the first migration of this release that the database lacks. Fails if its schema is of another build. */
export const findMissingMigration = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { conflict, missing } = yield* compareSchema(sql)
  if (Option.isSome(conflict)) return yield* conflict.value
  return Option.fromUndefinedOr(missing[0])
})

/** True if another session has locked a table for longer than a migration waits. */
const isLockTimeout = ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"

/**
 * Retries while a dump or an idle transaction locks a table. During the pauses other sessions can use it. Logs at the
 * first retry and then about once a minute.
 */
const lockRetrySchedule = Schedule.tap(Schedule.spaced("5 seconds"), ({ attempt }) =>
  attempt % 10 === 1
    ? Effect.logWarning(
        "A migration waits for a table that another session has locked, for example a dump or an open transaction"
      )
    : Effect.void
)

/**
 * Applies the missing migrations in order. Each runs in a separate transaction, which releases its locks before the
 * next one starts, or outside of a transaction if it builds indexes or updates many rows.
 */
export const migrate = <K extends string>(
  all: Readonly<Record<K, Migration>>,
  hashes: Readonly<Record<NoInfer<K>, string>>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* makeSession
      yield* checkEncoding(sql)
      yield* acquireMigrationLock(sql)
      const found = yield* readApplied(sql)
      if (Option.isNone(found)) yield* createMigrationTable(sql)
      const applied = Option.getOrElse(found, (): AppliedMigrations => new Map())
      const conflict = findConflict(applied, hashes)
      if (Option.isSome(conflict)) return yield* conflict.value
      for (const [key, migration] of Record.toEntries(all)) {
        if (applied.has(idOf(key))) continue
        const insertApplied = sql`
          insert into effect_sql_migrations (migration_id, name, hash)
          values (${idOf(key)}, ${nameOf(key)}, ${hashes[key]})
        `
        const run =
          migration instanceof OutsideTransaction
            ? Effect.andThen(migration.steps, insertApplied)
            : sql.withTransaction(Effect.andThen(migration, insertApplied))
        yield* Effect.andThen(limitLockWaits, run).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.retry({ while: isLockTimeout, schedule: lockRetrySchedule })
        )
      }
    })
  )

/** Applies the migrations of this release. */
export const migrateDatabase = migrate(migrations, hashes)

/** Applies all migrations before the layers that use the database are built. */
export const MigrationsLive = Layer.effectDiscard(migrateDatabase)
