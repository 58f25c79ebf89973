import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Until when the document that a client is described by is believed; null of a client that registered itself. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table agent_clients add column fresh_until timestamptz`
)
