import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { CellName } from "../../src/domain/cells/Cells.ts"
import { subscriptionOf } from "../../src/layers/cells/GlobalTables.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { cellDatabases } from "../support/cells/CellDatabases.ts"
import { primaryAndStandby } from "../support/postgres/Standby.ts"
import { diagnose, linesOf } from "../support/process/Doctor.ts"
import { freePort } from "../support/process/Process.ts"

it.live(
  "cells are checked: reachable, migrated, and with copies of the global tables that main keeps changes for",
  () =>
    Effect.gen(function* () {
      const { cells, main, settings } = yield* cellDatabases(["north"])
      const north = cells[0] ?? assert.fail()
      const run = (other: Readonly<Record<string, string>> = {}) =>
        diagnose({ DATABASE_URL: Redacted.value(main), ...settings, ...other })
      const onCell = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(SqlClient.SqlClient, work), postgres({ url: north.url, maxConnections: 1 }))

      const checks = yield* run()
      assert.match(linesOf(checks, "replication"), /^ok: The server of main has logical WAL/)
      assert.match(
        linesOf(checks, "cell north"),
        /^ok: It is \d+ MiB behind main\nok: PostgreSQL .*\nok: The schema is that of this release\nok: It receives the global tables$/
      )

      const wrong = yield* run({
        CELL_NORTH_URL: Redacted.value(main),
        CELL_NORTH_DIRECT_URL: Redacted.value(north.url),
        CELL_NORTH_READ_URL: Redacted.value(north.url),
        DATABASE_READ_URL: Redacted.value(north.url)
      })
      assert.match(
        linesOf(wrong, "cell north"),
        /problem: CELL_NORTH_URL and CELL_NORTH_DIRECT_URL are different databases/
      )
      assert.match(linesOf(wrong, "cell north read"), /^problem: CELL_NORTH_READ_URL: not a standby\./)
      assert.match(linesOf(wrong, "database read"), /^problem: DATABASE_READ_URL: another database/)

      const nowhere = `postgres://user:hunter2@127.0.0.1:${yield* freePort}/db`
      assert.match(
        linesOf(yield* run({ CELL_NORTH_URL: nowhere }), "cell north"),
        /problem: CELL_NORTH_URL: .*ECONNREFUSED.*Start the database/
      )

      yield* onCell((sql) => sql`update effect_sql_migrations set hash = reverse(hash)`)
      assert.match(
        linesOf(yield* run(), "cell north"),
        /problem: The schema is of another build: its migration 0001_baseline has another content\. Start the release/
      )
      yield* onCell((sql) => sql`update effect_sql_migrations set hash = reverse(hash)`)
      yield* onCell((sql) => sql`update effect_sql_migrations set migration_id = 9999`)
      assert.match(linesOf(yield* run(), "cell north"), /warning: 1 migrations are missing\. Run: partner-api migrate/)
      yield* onCell((sql) => sql`update effect_sql_migrations set migration_id = 1`)

      const name = subscriptionOf(CellName.make("north"))
      yield* onCell((sql) => sql`alter subscription ${sql(name)} disable`)
      assert.match(linesOf(yield* run(), "cell north"), /problem: Its subscription is disabled\. Run on it: alter sub/)
      yield* onCell((sql) => sql`drop subscription ${sql(name)}`)
      assert.match(
        linesOf(yield* run(), "cell north"),
        /^problem: main keeps no changes for it\. Run: partner-api cells add north[^]*problem: It receives no global tables/
      )
    }).pipe(Effect.scoped)
)

it.live("a standby of the primary is a right address for reads, and its server needs logical WAL for cells", () =>
  Effect.gen(function* () {
    const { primary, readUrl } = yield* primaryAndStandby("0")
    const checks = yield* diagnose({ DATABASE_URL: primary, DATABASE_READ_URL: readUrl })
    assert.strictEqual(linesOf(checks, "database read"), "ok: DATABASE_READ_URL is a standby of the primary")

    // The server of this test has the default of PostgreSQL.
    const withCell = yield* diagnose({ DATABASE_URL: primary, CELLS: "north", CELL_NORTH_URL: primary })
    assert.strictEqual(
      linesOf(withCell, "replication"),
      "problem: The server of main has wal_level = replica. Set it to logical, and restart it"
    )
  }).pipe(Effect.scoped)
)
