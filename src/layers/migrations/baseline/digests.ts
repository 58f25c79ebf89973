import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the digests of the versions of products and collections, by which clients find what they lack. */
export const createDigests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // PostgreSQL 18 casts bytes to a number. Older ones do so by each byte, which is faster than by hexadecimal text.
  const hash = Array.from({ length: 8 }, (_, byte) => `(get_byte(t.hash, ${byte})::bigint << ${56 - 8 * byte})`)
  for (const table of ["products", "collections"]) {
    // Reading a million rows of 3 KB would take a minute.
    yield* sql`create index ${sql(`${table}_by_version`)} on ${sql(table)} (store_id, id) include (version)`
    // Forces an index-only scan, because a plan from the time when the table was small would read the rows.
    yield* sql.unsafe(`
        create function digest_of_${table}(store uuid)
        returns table (range integer, count integer, digest bigint)
        language plpgsql stable parallel safe
        set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = off as $$
          begin
            return query
              select t.last_byte, count(*)::integer, bit_xor(${hash.join(" | ")})
              from (
                select get_byte(uuid_send(id), 15) as last_byte, sha256((id || ':' || version)::bytea) as hash
                from ${table} where store_id = store offset 0
              ) as t
              group by 1;
          end
        $$
      `)
  }
})
