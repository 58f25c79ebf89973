import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What each new product still paid for: a look at the row that the same statement made (docs/performance.md, Decoding). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Keys are written with their product, by one statement, so that only its end has to be looked at.
  yield* sql`alter table product_keys drop constraint product_keys_store_id_id_fkey`
  yield* sql`
    create function forget_product_keys() returns trigger language plpgsql as $$
      begin
        delete from product_keys where store_id = old.store_id and id = old.id;
        return null;
      end
    $$
  `
  yield* sql`
    create trigger forget_product_keys after delete on products for each row execute function forget_product_keys()
  `

  // One check instead of two: each is read anew by every statement that writes.
  yield* sql`
    alter table product_keys
      drop constraint product_keys_price, drop constraint product_keys_stock,
      add constraint product_keys_not_negative check (least(price, stock) >= 0) not valid
  `
})
