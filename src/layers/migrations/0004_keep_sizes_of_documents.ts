import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How long the document is as text: to learn it from the document itself, a page would have to take it out of its
 * compression. bytes_of is the version that was measured: an old process that writes the row leaves both as they were.
 * Where it is not the row's version, or null as in all rows from before, the document is measured.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table products add column bytes integer, add column bytes_of integer`
  yield* sql`alter table collections add column bytes integer, add column bytes_of integer`
})
