import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A term's list is written anew with each product that has the term, so the more products a store had, the more a create
 * wrote: 20 KB of log where the terms were common. Gathered first, up to 64 KB of them, they are written many at a time;
 * a look-up goes through what is gathered, which costs it 22 µs at most (docs/performance.md, Writes).
 */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter index product_keys_by_terms set (fastupdate = on, gin_pending_list_limit = 64)`
)
