import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Entries of what members administer, which has no versions. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table journal alter column version drop not null`)
