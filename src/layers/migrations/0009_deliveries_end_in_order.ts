import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * As with the records before. While the index is built, workers wait, and writes of which an app is to be told. That a
 * row is finished takes it out of the queue, so its update writes to indexes anyway.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table delivery_attempts set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  yield* sql`
    create index if not exists deliveries_in_order on deliveries (finished_at) where finished_at is not null
  `
})
