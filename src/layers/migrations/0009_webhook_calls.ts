import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OutsideTransaction } from "../sql/IndexMigration.ts"

/**
 * Records whether the endpoint of a webhook was ever called, and whether its last test failed. Outside of a transaction,
 * because no statement may read all deliveries while requests wait for the table of webhooks.
 */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // called_at: time of the first request to the URL. test_failed_at: time of the last test if it failed and no delivery
    // succeeded since. A failed test pauses nothing, so it is not part of failing_since.
    yield* sql`
      alter table webhooks
        add column if not exists called_at timestamptz,
        add column if not exists test_failed_at timestamptz
    `
    const called = yield* sql<{ readonly id: string }>`
      select w.app_id as id from webhooks w
      where w.called_at is null and exists (select from deliveries d where d.app_id = w.app_id and d.attempts > 0)
    `
    // One by one, so that workers wait for no row until the others are updated.
    yield* Effect.forEach(
      called,
      ({ id }) => sql`update webhooks set called_at = created_at where app_id = ${id} and called_at is null`,
      { discard: true }
    )
  })
})
