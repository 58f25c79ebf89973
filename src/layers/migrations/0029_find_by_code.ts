import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** By itself, as it holds the table from writers: nothing has a code in its narrow row yet, so it is read through once. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index product_keys_by_sku on product_keys (store_id, sku, id) where sku is not null`
  yield* sql`create index product_keys_by_barcode on product_keys (store_id, barcode, id) where barcode is not null`
})
