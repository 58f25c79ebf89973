import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds one row with the begin of the last round of housekeeping, so that the processes of a database share the rounds. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table housekeeping (
      id smallint primary key default 1 check (id = 1),
      started_at timestamptz not null default '-infinity'
    )
  `
  yield* sql`insert into housekeeping default values`
})
