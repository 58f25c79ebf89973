import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** external_id: of a product that was deleted, what it is called where it was imported from. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table journal add column external_id text`)
