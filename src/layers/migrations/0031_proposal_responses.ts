import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Stores the response of an approved call that changes no resource of the journal, such as the file of a picture. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table proposals add column response json`
})
