import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What became of one resource, and what one actor did. While the indexes are built, writes of products and collections wait. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index journal_by_resource on journal (store_id, resource_id, id)`
  yield* sql`create index journal_by_actor on journal (store_id, actor_id, id)`
})
