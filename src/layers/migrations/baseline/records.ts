import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates orders and customers, app data, and external ids. */
export const createRecords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Orders and customers, each as a JSON document in two parts: `opening`, then `personal` with the personal data,
  // which requires a scope. Splitting the document at each read took 50 % longer.
  // changed_at: microseconds of the store's clock. The clock rises under the lock of the store, so changes are in
  // commit order, and a client that polls for newer changes misses none. schema_hash: hash of the schema by
  // which the document was written; reads complete documents of other releases.
  for (const table of ["orders", "customers"]) {
    yield* sql`
      create table ${sql(table)} (
        store_id uuid not null references stores on delete cascade,
        id uuid not null,
        changed_at bigint not null,
        schema_hash integer not null default 0,
        opening text not null,
        personal text not null,
        bytes integer not null,
        personal_bytes integer not null,
        primary key (store_id, id)
      ) with (toast_tuple_target = 8160)
    `
    yield* sql`create index ${sql(`${table}_by_change`)} on ${sql(table)} (store_id, changed_at) include (id)`
    // Return ids in the order of changes or of ids. The settings force the index: if the table was small or not
    // analyzed at planning time, PostgreSQL would sort all rows of a store to return the first ones.
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

  // Finds the newest orders without parsing all.
  const placedAt = sql.literal(`((opening || '}')::json ->> 'placedAt') collate "C"`)
  yield* sql`create index orders_by_date on orders (store_id, (${placedAt}), id)`
  // Finds the oldest open orders without reading all that are completed.
  yield* sql`
    create index open_orders_by_date on orders (store_id, (${placedAt}), id)
    where ((opening || '}')::json ->> 'status') = 'open'
  `

  // Entries of app data. Vacuumed often, with the TOAST table, because entries are replaced and expire.
  // value: JSON as received. bytes: size of the value in UTF-8. replaced: size of the previous value.
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
  // Finds expired rows for the purge.
  yield* sql`create index app_data_in_order on app_data (expires_at) where expires_at is not null`

  // Totals of app_data for each installation, including expired entries that are not yet deleted.
  yield* sql`
    create table app_data_usage (
      store_id uuid not null,
      installation_id uuid not null,
      entries integer not null default 0 check (entries >= 0),
      bytes integer not null default 0 check (bytes >= 0),
      primary key (store_id, installation_id)
    ) with (fillfactor = 50)
  `

  // Ids of imported resources in their source systems (docs/import.md).
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
  // Deletes the external id of a deleted resource. A foreign key cannot reference four tables.
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
