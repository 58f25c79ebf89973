import { Migrator, SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import createCatalog from "./migrations/0001_create_catalog.ts"
import narrowRows from "./migrations/0002_narrow_rows_for_rules.ts"
import createWebhooks from "./migrations/0003_create_webhooks.ts"
import numbersAndLimits from "./migrations/0005_numbers_and_limits.ts"
import installOnce from "./migrations/0008_install_an_app_once.ts"

export const migrations = {
  "0001_create_catalog": createCatalog,
  "0002_narrow_rows_for_rules": narrowRows,
  "0003_create_webhooks": createWebhooks,
  "0005_numbers_and_limits": numbersAndLimits,
  "0008_install_an_app_once": installOnce
}

/** The migrator makes its table unlocked: of servers that start at once on an empty database, all but one would fail. */
const makeLedger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const make = Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext('effect_sql_migrations'))`
    const made = yield* sql`select 1 from pg_class where oid = to_regclass('effect_sql_migrations')`
    if (made.length > 0) return
    yield* sql`
      create table effect_sql_migrations (
        migration_id integer primary key,
        created_at timestamptz not null default now(),
        name text not null
      )
    `
  })
  yield* sql.withTransaction(make)
})

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })

/** Brings the database to the newest schema, once, under a table lock, before anything that is built on it. */
export const MigrationsLive = Layer.effectDiscard(Effect.zipRight(makeLedger, migrate))
