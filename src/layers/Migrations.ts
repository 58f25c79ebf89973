import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import createCatalog from "./migrations/0001_create_catalog.ts"
import narrowRows from "./migrations/0002_narrow_rows_for_rules.ts"
import createWebhooks from "./migrations/0003_create_webhooks.ts"
import keepSizes from "./migrations/0004_keep_sizes_of_documents.ts"
import numbersAndLimits from "./migrations/0005_numbers_and_limits.ts"
import keepNeeded from "./migrations/0006_keep_when_events_are_needed.ts"
import recordsInOrder from "./migrations/0007_records_end_in_order.ts"
import tokensInOrder from "./migrations/0008_tokens_end_in_order.ts"
import deliveriesInOrder from "./migrations/0009_deliveries_end_in_order.ts"
import eventsInOrder from "./migrations/0010_events_end_in_order.ts"
import installOnce from "./migrations/0011_install_an_app_once.ts"
import countLargeAnswers from "./migrations/0012_count_large_answers.ts"
import keepJournal from "./migrations/0013_keep_a_journal.ts"
import leanWrites from "./migrations/0014_lean_writes.ts"
import capabilitiesAndSettings from "./migrations/0015_capabilities_and_settings.ts"
import appDataAndReasons from "./migrations/0016_app_data_and_reasons.ts"
import createRecords from "./migrations/0017_create_records.ts"
import keepExternalIds from "./migrations/0018_keep_external_ids.ts"
import termsAreGathered from "./migrations/0019_terms_are_gathered.ts"
import createMerchants from "./migrations/0020_create_merchants.ts"
import createAgents from "./migrations/0021_create_agents.ts"
import createSearch from "./migrations/0022_create_search.ts"
import searchWhatThereIs from "./migrations/0023_search_what_there_is.ts"
import showJournal from "./migrations/0024_show_the_journal.ts"
import findInJournal from "./migrations/0025_find_in_the_journal.ts"
import administerInstallations from "./migrations/0026_administer_installations.ts"
import createProposals from "./migrations/0027_create_proposals.ts"
import noteChangesUnderWay from "./migrations/0028_note_changes_under_way.ts"
import findByCode from "./migrations/0029_find_by_code.ts"
import pageJournal from "./migrations/0030_page_the_journal.ts"
import createOauth from "./migrations/0031_create_oauth.ts"
import findInstallationsOfAnApp from "./migrations/0032_find_installations_of_an_app.ts"
import purgeUninstalled from "./migrations/0033_purge_what_was_uninstalled.ts"
import agentsByConsent from "./migrations/0034_agents_by_consent.ts"
import agentsInOrder from "./migrations/0035_agents_end_in_order.ts"
import keepExternalIdsOfDeletions from "./migrations/0036_keep_external_ids_of_deletions.ts"
import signUp from "./migrations/0037_sign_up.ts"
import readInOrder from "./migrations/0038_read_in_order.ts"
import tellOfAdministration from "./migrations/0039_tell_of_administration.ts"
import keysGoWithProducts from "./migrations/0040_keys_go_with_products.ts"
import noRowsOfEarlyReleases from "./migrations/0041_no_rows_of_early_releases.ts"
import moreTermsAreGathered from "./migrations/0042_more_terms_are_gathered.ts"
import createMerchantCallWindows from "./migrations/0043_create_merchant_call_windows.ts"
import { TIMEOUTS } from "./database/Session.ts"
import { limitLockWaits, OutsideTransaction, type Steps } from "./database/IndexMigration.ts"

type Migration = Steps | OutsideTransaction

export const migrations = {
  "0001_create_catalog": createCatalog,
  "0002_narrow_rows_for_rules": narrowRows,
  "0003_create_webhooks": createWebhooks,
  "0004_keep_sizes_of_documents": keepSizes,
  "0005_numbers_and_limits": numbersAndLimits,
  "0006_keep_when_events_are_needed": keepNeeded,
  "0007_records_end_in_order": recordsInOrder,
  "0008_tokens_end_in_order": tokensInOrder,
  "0009_deliveries_end_in_order": deliveriesInOrder,
  "0010_events_end_in_order": eventsInOrder,
  "0011_install_an_app_once": installOnce,
  "0012_count_large_answers": countLargeAnswers,
  "0013_keep_a_journal": keepJournal,
  "0014_lean_writes": leanWrites,
  "0015_capabilities_and_settings": capabilitiesAndSettings,
  "0016_app_data_and_reasons": appDataAndReasons,
  "0017_create_records": createRecords,
  "0018_keep_external_ids": keepExternalIds,
  "0019_terms_are_gathered": termsAreGathered,
  "0020_create_merchants": createMerchants,
  "0021_create_agents": createAgents,
  "0022_create_search": createSearch,
  "0023_search_what_there_is": searchWhatThereIs,
  "0024_show_the_journal": showJournal,
  "0025_find_in_the_journal": findInJournal,
  "0026_administer_installations": administerInstallations,
  "0027_create_proposals": createProposals,
  "0028_note_changes_under_way": noteChangesUnderWay,
  "0029_find_by_code": findByCode,
  "0030_page_the_journal": pageJournal,
  "0031_create_oauth": createOauth,
  "0032_find_installations_of_an_app": findInstallationsOfAnApp,
  "0033_purge_what_was_uninstalled": purgeUninstalled,
  "0034_agents_by_consent": agentsByConsent,
  "0035_agents_end_in_order": agentsInOrder,
  "0036_keep_external_ids_of_deletions": keepExternalIdsOfDeletions,
  "0037_sign_up": signUp,
  "0038_read_in_order": readInOrder,
  "0039_tell_of_administration": tellOfAdministration,
  "0040_keys_go_with_products": keysGoWithProducts,
  "0041_no_rows_of_early_releases": noRowsOfEarlyReleases,
  "0042_more_terms_are_gathered": moreTermsAreGathered,
  "0043_create_merchant_call_windows": createMerchantCallWindows
} satisfies Record<string, Migration>

/** The number that a migration's name begins with. */
const idOf = (key: string) => Number(key.slice(0, 4))

const decodeApplied = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))

/**
 * A client whose statements all run on one connection. Its session has no time limits but the one for tables, whatever is
 * set for the role; the others are back when the scope ends.
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
  const limits = Object.keys(TIMEOUTS)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.forEach(limits, (name) => sql`reset ${sql(name)}`)))
  yield* sql`select set_config(name, '0', false) from unnest(${limits}::text[]) as name`
  return sql
})

/**
 * Lets one process migrate while the others wait, until the scope or the session ends. The lock locks nothing that the
 * others read: the migrator of @effect/sql locks its table, which made servers unready for as long as another one
 * migrated. Waiting processes ask again and again, since `create index concurrently` waits for every statement that
 * is under way, and so for one that waits for the lock.
 */
const lock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* Effect.addFinalizer(() => Effect.ignore(sql`select pg_advisory_unlock_all()`))
  const tryLock = sql<{ readonly isMine: boolean }>`
    select pg_try_advisory_lock(hashtext('effect_sql_migrations')) as "isMine"
  `
  yield* Effect.repeat(tryLock, {
    until: ([row]) => row?.isMine === true,
    schedule: Schedule.tap(Schedule.spaced("250 millis"), ({ attempt }) =>
      attempt % 240 === 41
        ? Effect.logWarning("Another process migrates the database: this one waits until it is done")
        : Effect.void
    )
  })
})

/** The table of the migrator of @effect/sql. */
const createTable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found = yield* sql`select from pg_class where oid = to_regclass('effect_sql_migrations')`
  if (found.length > 0) return
  yield* sql`
    create table effect_sql_migrations (
      migration_id integer primary key,
      created_at timestamptz not null default now(),
      name text not null
    )
  `
})

/** lock_not_available: another session holds a table for longer than a migration waits. */
const isHeld = ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"

/**
 * Tries again for as long as a dump or an idle transaction holds a table. In the pauses others read and write it. Logs at
 * first, and then about once a minute.
 */
const untilFree = Schedule.tap(Schedule.spaced("5 seconds"), ({ attempt }) =>
  attempt % 10 === 1
    ? Effect.logWarning("A migration waits for a table that another session holds: a dump, or a transaction")
    : Effect.void
)

/**
 * Applies the migrations that are missing, in their order. Each has a transaction of its own, so that what it locks is
 * free again before the next one starts, or runs outside of one if it builds indexes.
 */
export const migrate = (wanted: Readonly<Record<string, Migration>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* makeSession
      yield* lock(sql)
      yield* createTable(sql)
      const applied = decodeApplied(yield* sql`select migration_id as id from effect_sql_migrations`)
      const known = new Set(applied.map(({ id }) => id))
      for (const [key, migration] of Object.entries(wanted)) {
        if (known.has(idOf(key))) continue
        const note = sql`insert into effect_sql_migrations (migration_id, name) values (${idOf(key)}, ${key.slice(5)})`
        const run =
          migration instanceof OutsideTransaction
            ? Effect.andThen(migration.steps, note)
            : sql.withTransaction(Effect.andThen(migration, note))
        yield* Effect.andThen(limitLockWaits, run).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.retry({ while: isHeld, schedule: untilFree })
        )
      }
    })
  )

/** Brings the database to the newest schema before anything that is built on it. */
export const MigrationsLive = Layer.effectDiscard(migrate(migrations))
