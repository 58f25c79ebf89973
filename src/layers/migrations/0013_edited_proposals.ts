import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Stores the payload that a member approved in place of the proposed one. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table proposals add column edited json`
})
