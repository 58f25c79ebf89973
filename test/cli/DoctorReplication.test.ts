import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { partnerApi } from "../../src/cli/Program.ts"
import { CellName } from "../../src/domain/cells/Cells.ts"
import { addCell, subscriptionOf } from "../../src/layers/cells/GlobalTables.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { findCluster } from "../../src/layers/postgres/Cluster.ts"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { carelessDataFolder } from "../support/postgres/DataFolder.ts"
import { onServer } from "../support/postgres/OnServer.ts"
import { runInProcess } from "../support/process/Cli.ts"
import { diagnose, linesOf } from "../support/process/Doctor.ts"
import { connection, rowsOf, waitUntil } from "../support/process/Process.ts"

const NORTH = CellName.make("north")

/** Slots of the server: one for the cell, and those that its first copies need for a moment. */
const SLOTS = 4

/** A server of its own, on which a test may change settings, with `main` and the cell `north`. */
const ownServer = Effect.gen(function* () {
  const dataDir = yield* carelessDataFolder
  appendFileSync(
    join(findCluster(dataDir).data, "postgresql.conf"),
    `wal_level = logical\nmax_replication_slots = ${SLOTS}\nsynchronous_commit = off\n`
  )
  const main = yield* embeddedPostgres({ dataDir })
  const database = postgres({ url: main, maxConnections: 2, withoutTimeouts: true })
  yield* Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database)))
  yield* onServer(Redacted.value(main), "create database north")
  const north = new URL(Redacted.value(main))
  north.pathname = "/north"
  yield* Effect.provide(
    addCell({ name: NORTH, setting: "CELL_NORTH_URL", url: Redacted.make(north.href), source: main }),
    database
  )
  return { main: Redacted.value(main), north: north.href }
}).pipe(Effect.orDie)

it.live(
  "doctor finds too few slots, a cell that lags or is not connected, and changes that were deleted, which a cell gets again when it is added",
  () =>
    Effect.gen(function* () {
      const { main, north } = yield* ownServer
      const run = diagnose({ DATABASE_URL: main, CELLS: "north", CELL_NORTH_URL: north })
      const cell = Effect.map(run, (checks) => linesOf(checks, "cell north"))

      /** Results of the check of the server, with this number of cells. */
      const replication = (n: number) => {
        const names = ["north", ..."abcdefgh"].slice(0, n)
        const urls = Object.fromEntries(names.map((name) => [`CELL_${name.toUpperCase()}_URL`, north]))
        return Effect.map(diagnose({ DATABASE_URL: main, CELLS: names.join(","), ...urls }), (checks) =>
          linesOf(checks, "replication")
        )
      }
      assert.match(yield* replication(SLOTS - 1), /^ok: /)
      assert.match(yield* replication(SLOTS), /^warning: All slots or walsenders of main are for cells\./)
      assert.match(
        yield* replication(SLOTS + 1),
        /^problem: The server of main has max_replication_slots = 4 and max_wal_senders = 10 for 5 cells\./
      )

      const [onMain, onNorth] = [yield* connection(main), yield* connection(north)]
      const state = rowsOf(
        onMain,
        "select active, wal_status, confirmed_flush_lsn::text as lsn from pg_replication_slots"
      )
      const write = rowsOf(
        onMain,
        "select pg_logical_emit_message(false, 'test', repeat('x', 1048576)) from generate_series(1, 70)"
      )
      // The lock keeps the cell from applying a change, and so from confirming all later ones.
      yield* rowsOf(onNorth, "begin")
      yield* rowsOf(onNorth, "lock table plans in access exclusive mode")
      yield* rowsOf(onMain, "update plans set product_limit = product_limit + 1")
      yield* waitUntil(
        rowsOf(
          onNorth,
          "select 1 from pg_locks where not granted and relation = 'plans'::regclass and database = (select oid from pg_database where datname = current_database())"
        ),
        (waiting) => waiting.length > 0
      )
      yield* write
      assert.match(yield* cell, /^warning: It is \d\d MiB behind main\. See the log of its server\n/)
      yield* rowsOf(onNorth, "rollback")

      yield* rowsOf(onNorth, `alter subscription ${subscriptionOf(NORTH)} disable`)
      yield* waitUntil(state, ([slot]) => slot?.["active"] === false)
      yield* write
      assert.match(
        yield* cell,
        /^problem: It is \d+ MiB behind main and not connected to it\. See the log of its server\n[^]*Its subscription is disabled/
      )

      yield* onServer(main, "alter system set max_slot_wal_keep_size = '1MB'", "select pg_reload_conf()")
      yield* waitUntil(Effect.andThen(rowsOf(onMain, "checkpoint"), state), ([slot]) => slot?.["wal_status"] === "lost")
      assert.match(
        yield* cell,
        /^problem: main has deleted changes that it did not receive\. Run: partner-api cells add n/
      )

      yield* onServer(main, "alter system reset max_slot_wal_keep_size", "select pg_reload_conf()")
      const variables = { DATABASE_URL: main, CELLS: "north", CELL_NORTH_URL: north }
      const added = yield* runInProcess(partnerApi(["cells", "add", "north"]), variables)
      assert.deepStrictEqual([added.code, added.stderr], [0, ""])
      assert.match(yield* cell, /^ok: It is \d+ MiB behind main\n[^]*ok: It receives the global tables$/)
    }).pipe(Effect.scoped)
)
