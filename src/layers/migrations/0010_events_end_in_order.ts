import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** As with the records before. While the index is built, writes of products and collections wait; workers go on. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index if not exists events_in_order on events (coalesce(needed_at, occurred_at))`
  yield* sql`alter table events set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`
})
