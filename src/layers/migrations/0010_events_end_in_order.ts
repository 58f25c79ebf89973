import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Finds old events for the purge, as 0007 finds records. */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* buildIndex({ name: "events_in_order", table: "events", definition: "(coalesce(needed_at, occurred_at))" })
    yield* sql`alter table events set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`
  })
})
