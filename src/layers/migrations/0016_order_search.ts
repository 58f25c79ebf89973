import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../sql/IndexMigration.ts"

/**
 * Indexes the trigrams of the texts that a search of orders reads, so that it parses only orders that have all trigrams of
 * the search. Each is a hash of the store and three characters. The extension pg_trgm does the same, but not every role may
 * create it.
 */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // The bodies are parsed here, because an index calls them without the search path.
    yield* sql`
      create or replace function trigrams(store_id uuid, value text) returns bigint[]
      language sql immutable parallel safe
      begin atomic
        select coalesce(array_agg(distinct hashtextextended(substr(value, n, 3), uuid_hash_extended(store_id, 0))), '{}')
        from generate_series(1, length(value) - 2) as n;
      end
    `
    yield* sql`
      create or replace function order_trigrams(store_id uuid, opening text, personal text) returns bigint[]
      language sql immutable parallel safe
      begin atomic
        select trigrams(store_id, lower(concat_ws(chr(10),
          (opening || '}')::json ->> 'number',
          hidden ->> 'email', hidden #>> '{shippingAddress,name}', hidden #>> '{billingAddress,name}'
        )))
        from (select ('{' || substr(personal, 2))::json as hidden offset 0) as parsed;
      end
    `
    yield* buildIndex({
      name: "orders_by_trigrams",
      table: "orders",
      definition:
        "using gin (order_trigrams(store_id, opening, personal)) with (fastupdate = on, gin_pending_list_limit = 2048)"
    })
  })
})
