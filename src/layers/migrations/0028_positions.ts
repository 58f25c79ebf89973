import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the position in the log of the database after the last write of an installation, for reads from a replica. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table rate_windows add column written pg_lsn`
})
