import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The call window of a merchant moves out of the account row. Other statements lock that row, such as the one that
 * creates an app, and every admission statement that came to it had to wait.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hits: as in rate_windows. The row is made with the account and only updated.
  yield* sql`
    create table merchant_call_windows (
      merchant_id uuid primary key references merchants on delete cascade,
      hits bigint[] not null default '{}'
    ) with (fillfactor = 50)
  `
  yield* sql`insert into merchant_call_windows (merchant_id, hits) select id, hits from merchants`
  // Locks out writers before the column goes: two steps of lock could deadlock with a process that counts a call.
  yield* sql`lock table merchants in access exclusive mode`
  // Accounts that were made while the windows were copied. The primary key finds them without a scan.
  yield* sql`
    insert into merchant_call_windows (merchant_id)
    select id from merchants where id > uuid_v7(clock_micros() - 60 * 1000000::bigint) on conflict do nothing
  `
  yield* sql`alter table merchants drop column hits`
  yield* sql`alter table merchants reset (fillfactor)`
})
