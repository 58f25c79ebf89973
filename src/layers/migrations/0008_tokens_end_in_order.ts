import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** As with the records before. While the index is built, tokens are not issued or revoked; requests go on with theirs. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index if not exists access_tokens_in_order on access_tokens (expires_at)`
  yield* sql`
    alter table access_tokens set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
})
