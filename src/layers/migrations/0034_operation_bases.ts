import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Version of the resource before the transaction of a preview, which a set compares with when it is applied. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table change_set_results add column base integer`
})
