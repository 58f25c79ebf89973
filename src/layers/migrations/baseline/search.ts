import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the search vocabulary and its functions. */
export const createSearch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Vocabulary of each store: words, and the term of each word in product_keys.
  yield* sql`
    create table search_words (
      store_id uuid not null,
      word text collate "C" not null,
      term uuid not null,
      primary key (store_id, word, term)
    )
  `

  // Returns words with a prefix, in the order of the primary key. The settings prevent a sort while the table has no
  // statistics.
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
  // Returns products whose SKU or barcode has a prefix, in the order of the indexes. The settings are those of
  // words_from.
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
})
