import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents that a merchant's consent makes, which have no token but those of their grant, and the clients that ask. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table agents alter column token_hash drop not null`
  // Until when the document is believed that a client is described by; null of a client that registered itself.
  yield* sql`alter table agent_clients add column fresh_until timestamptz`
})
