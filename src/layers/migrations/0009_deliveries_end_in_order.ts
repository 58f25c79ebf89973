import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/**
 * Finds old deliveries for the purge, as 0007 finds records. That a row is finished takes it out of the queue, so its
 * update writes to indexes anyway.
 */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      alter table delivery_attempts set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
    `
    yield* buildIndex({
      name: "deliveries_in_order",
      table: "deliveries",
      definition: "(finished_at) where finished_at is not null"
    })
  })
})
