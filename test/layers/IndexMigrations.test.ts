import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted } from "effect"
import type pg from "pg"
import { migrations } from "../../src/layers/Migrations.ts"
import { buildIndex, OutsideTransaction, type MigrationSteps } from "../../src/layers/sql/IndexMigration.ts"
import { start } from "../support/postgres/Migrations.ts"
import { migrateUnderWrites } from "../support/postgres/FilledDatabase.ts"
import { freshDatabase } from "../support/postgres/Postgres.ts"
import { connection, duringWork, rowsOf, waitForLockWaits } from "../support/process/Process.ts"

/** Migrations of a later release that index tables in use. The table of the second one is partitioned. */
const laterMigrations: Readonly<Record<string, MigrationSteps | OutsideTransaction>> = {
  ...migrations,
  "9001_find_record_by_request": new OutsideTransaction({
    steps: buildIndex({
      name: "idempotency_records_by_request",
      table: "idempotency_records",
      definition: "(fingerprint)"
    })
  }),
  "9002_find_by_request": new OutsideTransaction({
    steps: buildIndex({ name: "journal_by_request", table: "journal", definition: "(store_id, request_id)" })
  })
}

const STORE = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Inserts a row as a request with an idempotency key does. */
const writeRecord = (client: pg.Client, key: string) =>
  rowsOf(
    client,
    `insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
     values ($1, $1, $2, '', '', now() + interval '1 day')`,
    [STORE, key]
  )

/** A database whose next migration builds `idempotency_records_by_request`, and two other sessions. */
const beforeIndex = Effect.gen(function* () {
  const url = yield* freshDatabase
  yield* start(url)
  const [holder, writer] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
  yield* rowsOf(writer, "set lock_timeout = '1s'")
  return { url, holder, writer }
})

const validity = (client: pg.Client) =>
  rowsOf(
    client,
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('idempotency_records_by_request')`
  )

it.live("requests can write to a table while a migration builds an index on it", () =>
  Effect.gen(function* () {
    const { holder, url, writer } = yield* beforeIndex
    yield* rowsOf(holder, "begin")
    yield* writeRecord(holder, "first")
    const migrating = yield* Effect.forkChild(start(url, laterMigrations))
    yield* duringWork(migrating, waitForLockWaits(writer, 1))
    yield* writeRecord(writer, "second")
    assert.deepStrictEqual(yield* validity(writer), [{ isValid: false }])
    yield* rowsOf(holder, "commit")
    yield* Fiber.join(migrating)
    assert.deepStrictEqual(yield* validity(writer), [{ isValid: true }])
    assert.lengthOf(yield* rowsOf(writer, "select from idempotency_records"), 2)
  })
)

it.live("index migrations do not block writes to any table and leave only valid indexes", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [holder, writer] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    yield* rowsOf(writer, "set lock_timeout = '1s'")
    const entries = Object.entries(laterMigrations)
    const numbers = entries.flatMap(([_, one], index) => (one instanceof OutsideTransaction ? [index] : []))
    assert.isNotEmpty(numbers)
    for (const number of numbers) {
      yield* start(url, Object.fromEntries(entries.slice(0, number)))
      const tables = yield* rowsOf(
        writer,
        `select string_agg(oid::regclass::text, ', ' order by oid) as names from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'effect_sql_migrations'`
      )
      // The lock mode of an insert or update.
      const write = `lock table ${tables.map(({ names }) => String(names)).join()} in row exclusive mode`
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, write)
      const migrating = yield* Effect.forkChild(start(url, Object.fromEntries(entries.slice(0, number + 1))))
      yield* duringWork(migrating, waitForLockWaits(writer, 1))
      yield* rowsOf(writer, "begin")
      yield* rowsOf(writer, write)
      yield* rowsOf(writer, "commit")
      yield* rowsOf(holder, "commit")
      yield* Fiber.join(migrating)
    }
    assert.deepStrictEqual(yield* rowsOf(writer, "select from pg_index where not indisvalid"), [])
    // The index of the journal attaches those of its partitions and builds no second ones.
    const ofPartition = yield* rowsOf(
      writer,
      "select indexname as name from pg_indexes where tablename = 'journal_15' and indexdef ~ 'request_id'"
    )
    assert.deepStrictEqual(ofPartition, [{ name: "journal_15_by_request" }])
  })
)

it.live("writers wait for no migration of a filled table for longer than the lock timeout", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const waits = yield* migrateUnderWrites(url, 5_000, connection(Redacted.value(url)))
    assert.strictEqual(waits.size, 7)
    for (const [table, wait] of waits) assert.isBelow(wait, 2_000, table)
  })
)

const interruptions = {
  "is terminated": (client: pg.Client, pid: number | undefined) =>
    rowsOf(client, "select pg_terminate_backend($1)", [pid]),
  "is interrupted with its process": (_: pg.Client, __: number | undefined, migrating: Fiber.Fiber<unknown, unknown>) =>
    Fiber.interrupt(migrating)
}

for (const [how, interrupt] of Object.entries(interruptions)) {
  it.live(`the next start rebuilds an index whose build ${how}`, () =>
    Effect.gen(function* () {
      const { holder, url, writer } = yield* beforeIndex
      yield* rowsOf(holder, "begin")
      yield* writeRecord(holder, "first")
      const migrating = yield* Effect.forkChild(start(url, laterMigrations))
      const [pid] = yield* duringWork(migrating, waitForLockWaits(writer, 1))
      yield* interrupt(writer, pid, migrating)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(migrating)))
      assert.deepStrictEqual(yield* validity(writer), [{ isValid: false }])
      const again = yield* Effect.forkChild(start(url, laterMigrations))
      yield* duringWork(again, waitForLockWaits(writer, 1))
      yield* rowsOf(holder, "commit")
      yield* Fiber.join(again)
      assert.deepStrictEqual(yield* validity(writer), [{ isValid: true }])
      const applied = yield* rowsOf(writer, "select from effect_sql_migrations")
      assert.lengthOf(applied, Object.keys(laterMigrations).length)
    })
  )
}
