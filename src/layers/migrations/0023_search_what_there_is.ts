import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Products from before the search are left to be caught up with. By itself: for as long as it takes it locks nothing. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`insert into unsearched_products select store_id, id from product_keys on conflict do nothing`
)
