import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * 64 KB hold the terms of 160 products, whose lists are written once for all of them: with fifty stores of a thousand
 * products each that was 7 KB of log for a create, as each list is written whole. Of 640 products more terms are the same.
 * A look-up goes through what is gathered, which costs it 70 µs at most (docs/performance.md, Writes).
 */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter index product_keys_by_terms set (gin_pending_list_limit = 256)`
)
