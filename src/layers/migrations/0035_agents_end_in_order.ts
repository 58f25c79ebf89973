import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When agents ended, for the purge of those that are listed no longer. While the index is built, agents wait to write. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    create index agents_in_order on agents ((coalesce(revoked_at, ends_at))) where coalesce(revoked_at, ends_at) is not null
  `
)
