import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the trace of the write to its events, so that their deliveries belong to the same trace. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table events add column trace_parent text`
})
