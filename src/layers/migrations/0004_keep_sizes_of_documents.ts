import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * How long the document is as text: to learn it from the document itself, a page would have to take it out of its
 * compression. Null for rows that were not written since, which are measured.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table products add column bytes integer`
  yield* sql`alter table collections add column bytes integer`
})
