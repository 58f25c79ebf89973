import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * A purge finds what has expired at the start of a B-tree, and stops at the first row that has not. A BRIN range never
 * shrinks once freed space is used again: after a day most ranges held something old beside something new, and a purge
 * that found nothing read the whole table. Rows arrive in the order of their time, so a write adds to the last page.
 *
 * Writes to these tables wait while the indexes are built, some seconds for a million rows; reads go on, except those of
 * events, which are made by writes and workers alone. Where that is too long, an operator makes
 * column and indexes before, under these names and CONCURRENTLY, and they are found here. The BRIN indexes stay for
 * processes of the release before; the next one drops them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`create index if not exists idempotency_records_in_order on idempotency_records (expires_at)`
  yield* sql`create index if not exists access_tokens_in_order on access_tokens (expires_at)`
  // That a row is finished takes it out of the queue, so its update writes to indexes anyway.
  yield* sql`
    create index if not exists deliveries_in_order on deliveries (finished_at) where finished_at is not null
  `
  // needed_at: the last time at which a purge knew that a delivery needs the event; null while its own time is enough.
  yield* sql`alter table events add column if not exists needed_at timestamptz`
  yield* sql`create index if not exists events_in_order on events (coalesce(needed_at, occurred_at))`

  // What was deleted stands first in its index until a vacuum. A fifth of the table, the default, is millions of entries.
  for (const table of ["idempotency_records", "access_tokens", "delivery_attempts", "events"]) {
    yield* sql`
      alter table ${sql(table)} set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
    `
  }
})
