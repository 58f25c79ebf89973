import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CellName } from "../../../src/domain/cells/Cells.ts"
import { subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"

/** Ends the copying of global tables to a cell, and frees what `main` keeps for it. Runs on the cell. */
export const removeSubscription = (cell: CellName) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop subscription if exists ${sql(subscriptionOf(cell))}`)
