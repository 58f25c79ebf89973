import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CellName } from "../../../src/domain/cells/Cells.ts"
import { requiredRowReader, rowReader } from "../../../src/layers/sql/Rows.ts"
import { waitUntil } from "../process/Process.ts"
import { slotOf, subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"

/** Ends the copying of global tables to a cell, and frees what `main` keeps for it. Runs on the cell. */
export const removeSubscription = (cell: CellName) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop subscription if exists ${sql(subscriptionOf(cell))}`)

const readPosition = requiredRowReader(Schema.Struct({ position: Schema.String }))
const readArrival = rowReader(Schema.Struct({ isApplied: Schema.Boolean }))

/** Waits until a cell has applied all changes of global tables. `main` is the global database. */
export const awaitCopies = Effect.fn(function* (main: SqlClient.SqlClient, cell: CellName) {
  const { position } = yield* readPosition(main`select pg_current_wal_insert_lsn()::text as position`)
  const slot = yield* slotOf(main, cell)
  // A walsender that has just started has no position of its cell.
  const arrival = readArrival(main`
    select coalesce(r.replay_lsn >= ${position}::pg_lsn, false) as "isApplied"
    from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid where s.slot_name = ${slot}
  `)
  yield* waitUntil(
    arrival,
    Option.exists(({ isApplied }) => isApplied)
  )
}, Effect.orDie)
