import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Why a change was made, where who made it said so. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table journal add column reason text`
})
