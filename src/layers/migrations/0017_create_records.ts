import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Orders and customers. As with products a row is its document, but cut before what is personal of it, which is read only
 * for those who may: `opening` and `personal` are the text of the whole. To cut it when it is read took the database half
 * as long again. changed_at: microseconds by the store's clock, which rises under the lock of its row,
 * so that the order of changes is that of commits, and who asks for what changed since the newest that they have misses
 * none.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["orders", "customers"]) {
    yield* sql`
      create table ${sql(table)} (
        store_id uuid not null,
        id uuid not null,
        changed_at bigint not null,
        opening text not null,
        personal text not null,
        bytes integer not null,
        personal_bytes integer not null,
        primary key (store_id, id)
      ) with (toast_tuple_target = 8160)
    `
    yield* sql`create index ${sql(`${table}_by_change`)} on ${sql(table)} (store_id, changed_at) include (id)`
    // Each goes by its index alone, in its order: of a table that nobody has analyzed, or that had few rows when the plan
    // was made, the planner would gather and sort all that a store has to answer the first of it.
    yield* sql`
      create function ${sql(`changed_${table}`)}(store uuid, since bigint, most integer) returns setof uuid
      language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
        begin
          return query select id from ${sql(table)}
          where store_id = store and changed_at >= since order by changed_at limit most;
        end
      $$
    `
    yield* sql`
      create function ${sql(`later_${table}`)}(store uuid, last uuid, since bigint, most integer) returns setof uuid
      language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
        begin
          return query select id from ${sql(table)}
          where store_id = store and id > last and changed_at >= since order by id limit most;
        end
      $$
    `
  }
})
