import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** external_id: of a product that was deleted, what it is called where it was imported from. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table journal add column external_id text`)
