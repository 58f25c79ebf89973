import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Option, Record, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import baseline from "./migrations/0001_baseline.ts"
import waitForChangeClock from "./migrations/0002_wait_for_change_clock.ts"
import changeSets from "./migrations/0003_change_sets.ts"
import feed from "./migrations/0004_feed.ts"
import views from "./migrations/0005_views.ts"
import imports from "./migrations/0006_imports.ts"
import exports from "./migrations/0007_exports.ts"
import orderDates from "./migrations/0008_order_dates.ts"
import webhookCalls from "./migrations/0009_webhook_calls.ts"
import unfinishedChangeSets from "./migrations/0010_unfinished_change_sets.ts"
import accountLinks from "./migrations/0011_account_links.ts"
import openOrders from "./migrations/0012_open_orders.ts"
import editedProposals from "./migrations/0013_edited_proposals.ts"
import openForms from "./migrations/0014_open_forms.ts"
import exportFilters from "./migrations/0015_export_filters.ts"
import orderSearch from "./migrations/0016_order_search.ts"
import files from "./migrations/0017_files.ts"
import images from "./migrations/0018_images.ts"
import copiedImages from "./migrations/0019_copied_images.ts"
import copiedImagesIndex from "./migrations/0020_copied_images_index.ts"
import keptFiles from "./migrations/0021_kept_files.ts"
import keptFilesIndexes from "./migrations/0022_kept_files_indexes.ts"
import traceParents from "./migrations/0023_trace_parents.ts"
import cells from "./migrations/0024_cells.ts"
import endpoints from "./migrations/0025_endpoints.ts"
import attempts from "./migrations/0026_attempts.ts"
import storeMoves from "./migrations/0027_store_moves.ts"
import positions from "./migrations/0028_positions.ts"
import housekeeping from "./migrations/0029_housekeeping.ts"
import events from "./migrations/0030_events.ts"
import proposalResponses from "./migrations/0031_proposal_responses.ts"
import jobOrder from "./migrations/0032_job_order.ts"
import tokenStores from "./migrations/0033_token_stores.ts"
import operationBases from "./migrations/0034_operation_bases.ts"
import recordSearch from "./migrations/0035_record_search.ts"
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
 */
export const migrations = {
  "0001_baseline": baseline,
  "0002_wait_for_change_clock": waitForChangeClock,
  "0003_change_sets": changeSets,
  "0004_feed": feed,
  "0005_views": views,
  "0006_imports": imports,
  "0007_exports": exports,
  "0008_order_dates": orderDates,
  "0009_webhook_calls": webhookCalls,
  "0010_unfinished_change_sets": unfinishedChangeSets,
  "0011_account_links": accountLinks,
  "0012_open_orders": openOrders,
  "0013_edited_proposals": editedProposals,
  "0014_open_forms": openForms,
  "0015_export_filters": exportFilters,
  "0016_order_search": orderSearch,
  "0017_files": files,
  "0018_images": images,
  "0019_copied_images": copiedImages,
  "0020_copied_images_index": copiedImagesIndex,
  "0021_kept_files": keptFiles,
  "0022_kept_files_indexes": keptFilesIndexes,
  "0023_trace_parents": traceParents,
  "0024_cells": cells,
  "0025_endpoints": endpoints,
  "0026_attempts": attempts,
  "0027_store_moves": storeMoves,
  "0028_positions": positions,
  "0029_housekeeping": housekeeping,
  "0030_events": events,
  "0031_proposal_responses": proposalResponses,
  "0032_job_order": jobOrder,
  "0033_token_stores": tokenStores,
  "0034_operation_bases": operationBases,
  "0035_record_search": recordSearch
} satisfies Record<string, Migration>

/** Number at the start of a migration's key. */
const idOf = (key: string) => Number(key.slice(0, 4))

const nameOf = (key: string) => key.slice(5)

const decodeApplied = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })))

/** The database has another migration under a number that this release uses. */
export class SchemaOfAnotherBuild extends Data.TaggedError("SchemaOfAnotherBuild")<{
  readonly applied: string
  readonly expected: string
}> {
  override get message() {
    return `The schema is of another build: it has migration "${this.applied}" where this release has "${this.expected}"`
  }
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

/** Names of applied migrations by number; none if the table of the migrator of @effect/sql does not exist. */
const readApplied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql`select from pg_class where oid = to_regclass('effect_sql_migrations')`
  if (tables.length === 0) return Option.none()
  const rows = decodeApplied(yield* sql`select migration_id as id, name from effect_sql_migrations`)
  return Option.some(new Map(rows.map(({ id, name }) => [id, name])))
})

/** Creates the table of the migrator of @effect/sql. */
const createMigrationTable = (sql: SqlClient.SqlClient) => sql`
  create table effect_sql_migrations (
    migration_id integer primary key,
    created_at timestamptz not null default now(),
    name text not null
  )
`

/** Compares the applied migrations with those of this release. */
export const compareSchema = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const applied = Option.getOrElse(yield* readApplied(sql), () => new Map<number, string>())
  const keys = Object.keys(migrations)
  const conflicts = keys.flatMap((key) => {
    const [name, expected] = [applied.get(idOf(key)), nameOf(key)]
    return name === undefined || name === expected ? [] : [new SchemaOfAnotherBuild({ applied: name, expected })]
  })
  const known = new Set(keys.map(idOf))
  return {
    conflict: Option.fromUndefinedOr(conflicts[0]),
    missing: keys.filter((key) => !applied.has(idOf(key))).length,
    newer: [...applied.keys()].filter((id) => !known.has(id)).length
  }
})

/** Finds the first migration of this release that the database lacks. */
export const findMissingMigration = (sql: SqlClient.SqlClient) =>
  Effect.map(readApplied(sql), (applied) =>
    Option.fromUndefinedOr(
      Object.keys(migrations).find((key) =>
        Option.match(applied, { onNone: () => true, onSome: (names) => names.get(idOf(key)) !== nameOf(key) })
      )
    )
  )

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
export const migrate = (all: Readonly<Record<string, Migration>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* makeSession
      yield* checkEncoding(sql)
      yield* acquireMigrationLock(sql)
      const found = yield* readApplied(sql)
      if (Option.isNone(found)) yield* createMigrationTable(sql)
      const applied = Option.getOrElse(found, () => new Map<number, string>())
      for (const [key, migration] of Object.entries(all)) {
        const [expected, before] = [nameOf(key), applied.get(idOf(key))]
        if (before === expected) continue
        if (before !== undefined) return yield* new SchemaOfAnotherBuild({ applied: before, expected })
        const insertApplied = sql`insert into effect_sql_migrations (migration_id, name) values (${idOf(key)}, ${expected})`
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

/** Applies all migrations before the layers that use the database are built. */
export const MigrationsLive = Layer.effectDiscard(migrate(migrations))
