import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/**
 * A purge finds what has expired at the start of a B-tree, and stops at the first row that has not. A BRIN range never
 * shrinks once freed space is used again: after a day most ranges held something old beside something new, and a purge
 * that found nothing read the whole table. Rows arrive in the order of their time, so a write adds to the last page. The
 * BRIN indexes stay for processes of the release before; 0014 drops them.
 */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* buildIndex({
      name: "idempotency_records_in_order",
      table: "idempotency_records",
      definition: "(expires_at)"
    })
    // Deleted rows stand first in their index until a vacuum. A fifth of the table, the default, is millions of entries.
    yield* sql`
      alter table idempotency_records set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
    `
  })
})
