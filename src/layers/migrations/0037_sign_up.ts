import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whether an account was made by who says that the address is theirs, and nobody else says so. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table merchants add column is_claimed boolean not null default false`
)
