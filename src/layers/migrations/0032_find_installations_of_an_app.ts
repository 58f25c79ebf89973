import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** By itself, as it holds the table from writers: developers see the installations of their apps page by page. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index installations_of_app on installations (app_id, id)`
})
