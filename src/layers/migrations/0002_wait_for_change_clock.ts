import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Makes `change_clock` wait for its advisory lock. It returned null if another session held the lock exclusively: updates
 * failed, and creations ignored the null and assigned ids that the change stream could miss.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The lock precedes the reading of the clock. The body is one expression, so PostgreSQL inlines it.
  yield* sql`
    create or replace function change_clock(store uuid) returns bigint language sql volatile as $$
      select case when pg_advisory_xact_lock_shared(72101, uuid_hash(store)) is not null then clock_micros() end
    $$
  `
})
