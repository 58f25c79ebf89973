import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Triggers for processes that wrote the document of a product alone, or no words of it. Such releases are long gone, and
 * every write paid for the conditions of these triggers, which are read anew by each statement (docs/performance.md,
 * Packets).
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`drop trigger fill_new_product on products`
  yield* sql`drop trigger fill_changed_product on products`
  yield* sql`drop function fill_product_keys()`
  yield* sql`drop trigger leave_unsearched on products`
  yield* sql`drop function leave_unsearched()`
})
