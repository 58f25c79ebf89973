import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * needed_at: the last time at which a purge knew that a delivery needs the event; null while its own time is enough. All
 * who want the events wait for the moment that a column takes; its index is built under a lock that lets them be read.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table events add column if not exists needed_at timestamptz`
})
