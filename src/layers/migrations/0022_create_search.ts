import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The words that products are found by. What a release writes that knows no search is left in `unsearched_products`, for a
 * process of this one to catch up with.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table search_words (
      store_id uuid not null,
      word text collate "C" not null,
      term uuid not null,
      primary key (store_id, word, term)
    )
  `
  // Along its key, and no further: of a table that nobody has analyzed the planner would sort all that begin so.
  yield* sql`
    create function words_from(store uuid, beginning text, most integer)
    returns table (word text, term uuid)
    language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
      begin
        return query select w.word, w.term from search_words w
        where w.store_id = store and w.word >= beginning and w.word < beginning || chr(1114111)
        order by w.word, w.term limit most;
      end
    $$
  `
  yield* sql`alter table product_keys add column sku text collate "C", add column barcode text collate "C"`
  yield* sql`
    create function codes_from(store uuid, beginning text, most integer) returns table (id uuid, code text)
    language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
      begin
        return query select k.id, k.sku from product_keys k
        where k.store_id = store and k.sku >= beginning and k.sku < beginning || chr(1114111)
        order by k.sku, k.id limit most;
        return query select k.id, k.barcode from product_keys k
        where k.store_id = store and k.barcode >= beginning and k.barcode < beginning || chr(1114111)
        order by k.barcode, k.id limit most;
      end
    $$
  `
  yield* sql`
    create table unsearched_products (
      store_id uuid not null,
      id uuid not null,
      primary key (store_id, id)
    )
  `
  // The version that the words are of: other than the version where a process of the release before wrote it.
  yield* sql`alter table products add column words_of integer`
  yield* sql`
    create function leave_unsearched() returns trigger language plpgsql as $$
      begin
        insert into unsearched_products values (new.store_id, new.id) on conflict do nothing;
        return null;
      end
    $$
  `
  yield* sql`
    create trigger leave_unsearched after insert or update on products for each row
    when (new.words_of is distinct from new.version) execute function leave_unsearched()
  `
})
