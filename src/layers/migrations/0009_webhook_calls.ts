import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Records whether the endpoint of a webhook was ever called, and whether its last test failed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // called_at: time of the first request to the URL. test_failed_at: time of the last test if it failed and no delivery
  // succeeded since. A failed test pauses nothing, so it is not part of failing_since.
  yield* sql`alter table webhooks add called_at timestamptz, add test_failed_at timestamptz`
  yield* sql`
    update webhooks w set called_at = w.created_at
    where exists (select from deliveries d where d.app_id = w.app_id and d.attempts > 0)
  `
})
