import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync } from "node:fs"
import type pg from "pg"
import { migrations, MigrationsLive } from "../../src/layers/Migrations.ts"
import { TIMEOUTS } from "../../src/layers/sql/Session.ts"
import { OutsideTransaction, type MigrationSteps } from "../../src/layers/sql/IndexMigration.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { migrateTo, start } from "../support/postgres/Migrations.ts"
import { freshDatabase } from "../support/postgres/Postgres.ts"
import { connection, duringWork, rowsOf, waitForLockWaits, waitUntil } from "../support/process/Process.ts"

/** Migrations of a later release that change a table in use. */
const laterMigrations = {
  ...migrations,
  "9001_add_note": Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table products add column note text`),
  "9002_add_notes": Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table notes (id uuid primary key)`)
}

it("every migration file is registered, in order, with consecutive numbers", () => {
  const files = readdirSync("src/layers/migrations")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.replace(/\.ts$/, ""))
    .toSorted()
  assert.isNotEmpty(files)
  assert.deepStrictEqual(Object.keys(migrations), files)
  assert.deepStrictEqual(
    files.map((file) => /^(\d{4})_[a-z0-9_]+$/.exec(file)?.[1]),
    files.map((_, index) => String(index + 1).padStart(4, "0"))
  )
})

it.live("servers that start concurrently on an empty database apply each migration once", () =>
  Effect.gen(function* () {
    for (let round = 0; round < 3; round++) {
      const url = yield* freshDatabase
      const start = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ readonly name: string }>`select name from effect_sql_migrations order by migration_id`
      }).pipe(Effect.provide(Layer.provideMerge(MigrationsLive, postgres({ url, maxConnections: 2 }))))
      const seen = yield* Effect.all(
        Array.from({ length: 8 }, () => start),
        { concurrency: "unbounded" }
      )
      const names = Object.keys(migrations).map((name) => ({ name: name.slice(5) }))
      for (const applied of seen) assert.deepStrictEqual(applied, names)
    }
  })
)

/** Polls until a second process has tried to take the advisory lock. */
const untilLockRequested = (client: pg.Client) =>
  waitUntil(
    rowsOf(
      client,
      `select from pg_stat_activity
       where datname = current_database() and state = 'idle' and query like '%pg_try_advisory_lock(%'`
    ),
    (rows) => rows.length > 0
  )

it.live("applied migrations can be read while a migration runs, and servers that start meanwhile wait for it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* start(url)
    const [holder, reader] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    // A lock timeout of the database does not apply to migrations.
    const { pathname } = new URL(Redacted.value(url))
    yield* rowsOf(holder, `alter database ${pathname.slice(1)} set lock_timeout = '1ms'`)
    yield* rowsOf(holder, "begin")
    yield* rowsOf(holder, "lock table products")
    const first = yield* Effect.forkChild(start(url, laterMigrations))
    yield* duringWork(first, waitForLockWaits(reader, 1))
    const second = yield* Effect.forkChild(start(url, laterMigrations))
    yield* duringWork(second, untilLockRequested(reader))

    yield* rowsOf(reader, "begin")
    yield* rowsOf(reader, "lock table effect_sql_migrations in access share mode nowait")
    assert.deepStrictEqual(
      yield* rowsOf(reader, "select name from effect_sql_migrations order by migration_id"),
      Object.keys(migrations).map((key) => ({ name: key.slice(5) }))
    )
    yield* rowsOf(reader, "commit")

    yield* rowsOf(holder, "commit")
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    const applied = yield* rowsOf(reader, "select name from effect_sql_migrations")
    assert.lengthOf(applied, Object.keys(laterMigrations).length)
  })
)

it.live("a migration that waits for a dump does not block reads of the table and finishes after the dump", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* start(url)
    const [dump, reader] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    yield* rowsOf(dump, "begin")
    yield* rowsOf(dump, "lock table products in access share mode")
    const migrating = yield* Effect.forkChild(start(url, laterMigrations))
    // The lock timeout of the service. The second round runs during a retry of the migration.
    yield* rowsOf(reader, `set lock_timeout = ${TIMEOUTS.lock_timeout}`)
    for (let time = 0; time < 2; time++) {
      yield* duringWork(migrating, waitForLockWaits(reader, 1))
      assert.deepStrictEqual(yield* rowsOf(reader, "select from products"), [])
    }
    yield* rowsOf(dump, "commit")
    yield* Fiber.join(migrating)
    assert.lengthOf(yield* rowsOf(reader, "select from effect_sql_migrations"), Object.keys(laterMigrations).length)
  })
)

it.live("a database with other migrations is refused with their names, and not changed", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* start(url, laterMigrations)
    const client = yield* connection(Redacted.value(url))
    const refusal = Effect.map(Effect.flip(start(url, { ...laterMigrations, "9003_more": Effect.void })), String)
    const change = (set: string, id: number) =>
      rowsOf(client, `update effect_sql_migrations set ${set} where migration_id = ${id}`)

    yield* change("hash = 'other'", 1)
    assert.include(yield* refusal, "The schema is of another build: its migration 0001_baseline has another content")
    yield* change("name = 'create_notes'", 9001)
    assert.include(
      yield* refusal,
      "0001_baseline has another content, it has migration 9001_create_notes where this release has 9001_add_note"
    )
    assert.lengthOf(yield* rowsOf(client, "select from effect_sql_migrations"), Object.keys(laterMigrations).length)
  })
)

it.live(
  "migrations in a transaction do not build indexes on existing tables, which only the one of this test does",
  () =>
    Effect.gen(function* () {
      const database = postgres({ url: yield* freshDatabase, maxConnections: 1 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [first, ...later] = Object.entries<MigrationSteps | OutsideTransaction>({
          ...migrations,
          "9001_index": Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create index on products (version)`)
        })
        if (first !== undefined) yield* migrateTo(Object.fromEntries([first]))
        const built: Array<string> = []
        for (const [name, migration] of later) {
          if (migration instanceof OutsideTransaction) {
            yield* migration.steps
            continue
          }
          const known = yield* sql<{ readonly oid: number }>`select oid::integer from pg_class where relkind = 'r'`
          const lockQuery = sql<{ readonly table: string }>`
          select relation::regclass::text as table from pg_locks
          where pid = pg_backend_pid() and mode = 'ShareLock' and ${sql.in(
            "relation",
            known.map(({ oid }) => oid)
          )}
        `
          const locks = yield* sql.withTransaction(Effect.andThen(migration, lockQuery))
          built.push(...locks.map(({ table }) => `${name}: ${table}`))
        }
        assert.deepStrictEqual(built, ["9001_index: products"])
      }).pipe(Effect.provide(database))
    })
)
