import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The instant of a change, of which its id is made. Until the transaction ends the lock, which all who write share and
  // nobody waits for, says that a change of the store is under way whose id is no older than the transaction: who follows
  // the store waits for it, as ids of different resources are not in the order of their commits (layers/Changes.ts). The
  // lock is taken before the clock is read. As one expression, so that it is inlined.
  yield* sql`
    create function change_clock(store uuid) returns bigint language sql volatile as $$
      select case when pg_try_advisory_xact_lock_shared(72101, uuid_hash(store)) then clock_micros() end
    $$
  `
})
