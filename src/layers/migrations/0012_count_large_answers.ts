import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the large answers that are kept for replays take up, so that each installation's are bounded. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Beside the records, because few have a row here: an index over the answers themselves would cost every write.
  yield* sql`
    create table large_answers (
      store_id uuid not null,
      installation_id uuid not null,
      key text not null,
      bytes integer not null,
      expires_at timestamptz not null,
      primary key (store_id, installation_id, key)
    )
  `
  yield* sql`create index large_answers_by_end on large_answers (expires_at)`
})
