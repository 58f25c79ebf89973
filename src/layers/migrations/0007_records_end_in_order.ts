import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * A purge finds what has expired at the start of a B-tree, and stops at the first row that has not. A BRIN range never
 * shrinks once freed space is used again: after a day most ranges held something old beside something new, and a purge
 * that found nothing read the whole table. Rows arrive in the order of their time, so a write adds to the last page. The
 * BRIN indexes stay for processes of the release before; the next one drops them.
 *
 * While the index is built, some seconds for a million rows, writes with an idempotency key wait; replays go on. Where
 * that is too long, an operator makes the column of 0006, this index and the next three before, under these names and
 * CONCURRENTLY, and they are found.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index if not exists idempotency_records_in_order on idempotency_records (expires_at)`
  // What was deleted stands first in its index until a vacuum. A fifth of the table, the default, is millions of entries.
  yield* sql`
    alter table idempotency_records set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
})
