import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What every write paid for (docs/performance.md, Writes): columns that the database read out of the document, checks that
 * it evaluated anew though nothing of theirs had changed, and a foreign key to a row that the transaction holds.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Price and stock stand in `product_keys`, where rules look for them.
  yield* sql`
    alter table products
      alter id drop expression, alter version drop expression, alter slug drop expression,
      drop column price, drop column stock, drop constraint products_store_id_fkey
  `
  yield* sql`
    alter table product_keys
      add constraint product_keys_price check (price >= 0) not valid,
      add constraint product_keys_stock check (stock >= 0) not valid
  `
  // For a process of the release before, which writes the document alone.
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
    create trigger fill_new_product before insert on products for each row
    when (new.id is null) execute function fill_product_keys()
  `
  yield* sql`
    create trigger fill_changed_product before update on products for each row
    when (new.version = old.version and new.document::text <> old.document::text) execute function fill_product_keys()
  `

  // A check of a table is evaluated whatever of the row was changed, a trigger only for its columns.
  yield* sql`alter table stores drop constraint stores_name_check, drop constraint stores_currency_code_check`
  yield* sql`
    create function refuse_store() returns trigger language plpgsql as $$
      begin
        raise check_violation
          using message = 'new row for relation "stores" violates check constraint: a name, and a currency as in EUR';
      end
    $$
  `
  yield* sql`
    create trigger refuse_store before insert or update of name, currency_code on stores for each row
    when (new.name = '' or new.currency_code !~ '^[A-Z]{3}$') execute function refuse_store()
  `
  // What they asked is made by one function of the service, of an actor that is one of three.
  yield* sql`
    alter table events
      drop constraint events_actor_type_check, drop constraint events_check, drop constraint events_hops_check
  `
  // B-trees in the order of ends answer what these did.
  yield* sql`drop index events_by_time, idempotency_records_by_end, deliveries_by_end`
  // The sessions of the service keep to their indexes: its functions need not say so at each call.
  yield* sql`alter function free_product_slug(uuid, text) reset enable_seqscan`
  yield* sql`alter function free_collection_slug(uuid, text) reset enable_seqscan`
})
