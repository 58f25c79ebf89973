import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the time of the first turn to jobs, so that a store finishes one change set before it begins the next. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table jobs add column began_at timestamptz`
})
