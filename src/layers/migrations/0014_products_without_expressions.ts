import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * What a product's keys are is written beside its document, no longer read out of it: the database took 30 µs of each
 * write to do so. Price and stock stand in `product_keys` alone, where rules look for them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table products
      alter id drop expression, alter version drop expression, alter slug drop expression,
      drop column price, drop column stock
  `
  yield* sql`
    alter table product_keys
      add constraint product_keys_price check (price >= 0) not valid,
      add constraint product_keys_stock check (stock >= 0) not valid
  `
  // For a process of the release before, which writes the document alone and says whose bytes it counted.
  yield* sql`
    create function fill_product_keys() returns trigger language plpgsql as $$
      begin
        new.id := new.document ->> 'id';
        new.version := new.document ->> 'version';
        new.slug := new.facets ->> 'slug';
        return new;
      end
    $$
  `
  yield* sql`
    create trigger fill_product_keys before insert or update on products for each row
    when (new.id is null or new.version is distinct from new.bytes_of) execute function fill_product_keys()
  `
})
