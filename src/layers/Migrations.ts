import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import createCatalog from "./migrations/0001_create_catalog.ts"
import narrowRows from "./migrations/0002_narrow_rows_for_rules.ts"
import createWebhooks from "./migrations/0003_create_webhooks.ts"
import keepSizes from "./migrations/0004_keep_sizes_of_documents.ts"
import numbersAndLimits from "./migrations/0005_numbers_and_limits.ts"
import endsInOrder from "./migrations/0006_ends_in_order.ts"
import installOnce from "./migrations/0008_install_an_app_once.ts"
import countLargeAnswers from "./migrations/0010_count_large_answers.ts"
import { TIMEOUTS } from "./Postgres.ts"
import { rowsOf } from "./Rows.ts"

export const migrations = {
  "0001_create_catalog": createCatalog,
  "0002_narrow_rows_for_rules": narrowRows,
  "0003_create_webhooks": createWebhooks,
  "0004_keep_sizes_of_documents": keepSizes,
  "0005_numbers_and_limits": numbersAndLimits,
  "0006_ends_in_order": endsInOrder,
  "0008_install_an_app_once": installOnce,
  "0010_count_large_answers": countLargeAnswers
}

const applied = rowsOf(Schema.Struct({ id: Schema.Int }))

/**
 * The advisory lock lets one process migrate while the others wait for it, and locks nothing that they read: the migrator
 * of @effect/sql locks its table, which made servers unready for as long as another one migrated. The table is as it
 * makes it, and its name the lock's, as in earlier releases.
 */
const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Whatever is set for the role: waits for another one, and for long statements, are as long as they are.
  yield* sql`select set_config(name, '0', true) from unnest(${Object.keys(TIMEOUTS)}::text[]) as name`
  yield* sql`select pg_advisory_xact_lock(hashtext('effect_sql_migrations'))`
  const made = yield* sql`select from pg_class where oid = to_regclass('effect_sql_migrations')`
  if (made.length === 0) {
    yield* sql`
      create table effect_sql_migrations (
        migration_id integer primary key,
        created_at timestamptz not null default now(),
        name text not null
      )
    `
  }
  const rows = yield* applied(sql`select migration_id as id from effect_sql_migrations`)
  const known = new Set(rows.map(({ id }) => id))
  for (const [key, migration] of Object.entries(migrations)) {
    const id = Number(key.slice(0, 4))
    if (known.has(id)) continue
    yield* migration
    yield* sql`insert into effect_sql_migrations (migration_id, name) values (${id}, ${key.slice(5)})`
  }
})

/** Brings the database to the newest schema, once and in one transaction, before anything that is built on it. */
export const MigrationsLive = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(migrate))
)
