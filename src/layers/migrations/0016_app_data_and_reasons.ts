import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What installations keep for themselves, and why a change was made, where who made it said so. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table journal add column reason text`

  // value: JSON, as it was sent. bytes: of the value, in UTF-8. replaced: of the value before.
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
  yield* sql`create index app_data_in_order on app_data (expires_at) where expires_at is not null`

  // How much of that each has, what has expired and is still there too.
  yield* sql`
    create table app_data_usage (
      store_id uuid not null,
      installation_id uuid not null,
      entries integer not null default 0 check (entries >= 0),
      bytes integer not null default 0 check (bytes >= 0),
      primary key (store_id, installation_id)
    ) with (fillfactor = 50)
  `
})
