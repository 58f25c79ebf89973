import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Orders, customers, the data of apps, and the ids that imports know resources by. */
export const createRecords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Orders and customers, each as its JSON document in two parts: `opening` and then `personal`, the personal data, which
  // is read only with the scope for it. Splitting the document at each read took half as long again.
  // changed_at: microseconds by the store's clock, which rises under the lock of the store, so that the order of changes
  // is the order of commits, and a client that polls for newer changes misses none.
  for (const table of ["orders", "customers"]) {
    yield* sql`
      create table ${sql(table)} (
        store_id uuid not null references stores on delete cascade,
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
    // Ids in the order of changes, and in the order of ids. The settings leave each its index: of a table that was small
    // or not analyzed when the plan was made, PostgreSQL would sort all rows of a store for the first of them.
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

  // Entries that installations keep. Vacuumed often with its TOAST table, because entries are replaced and expire.
  // value: JSON as it was sent. bytes: of the value in UTF-8. replaced: of the value before.
  yield* sql`
    create table app_data (
      store_id uuid not null,
      installation_id uuid not null,
      namespace text collate "C" not null,
      key text collate "C" not null,
      value text not null,
      bytes integer not null,
      replaced integer,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      expires_at timestamptz,
      primary key (store_id, installation_id, namespace, key)
    ) with (
      autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
      toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 5000
    )
  `
  // For the purge.
  yield* sql`create index app_data_in_order on app_data (expires_at) where expires_at is not null`

  // Totals of app_data for each installation, including expired entries that are still there.
  yield* sql`
    create table app_data_usage (
      store_id uuid not null,
      installation_id uuid not null,
      entries integer not null default 0 check (entries >= 0),
      bytes integer not null default 0 check (bytes >= 0),
      primary key (store_id, installation_id)
    ) with (fillfactor = 50)
  `

  // The ids of resources in the systems that they were imported from (docs/import.md).
  yield* sql`
    create table external_ids (
      store_id uuid not null,
      kind text not null,
      external_id text collate "C" not null,
      resource_id uuid not null,
      primary key (store_id, kind, external_id),
      unique (store_id, resource_id)
    )
  `
  // A resource is in one of four tables, so triggers do what a foreign key cannot.
  yield* sql`
    create function forget_external_id() returns trigger language plpgsql as $$
      begin
        delete from external_ids where store_id = old.store_id and resource_id = old.id;
        return null;
      end
    $$
  `
  for (const table of ["products", "collections", "orders", "customers"]) {
    yield* sql`
      create trigger forget_external_id after delete on ${sql(table)} for each row
      execute function forget_external_id()
    `
  }
})
