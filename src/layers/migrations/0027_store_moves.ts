import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tables whose primary key has no store. Logical replication finds a row by its identity, which must name the store. */
const WITHOUT_STORE = ["access_tokens", "agent_tokens", "authorization_codes", "refresh_tokens"]

/** Prepares moves of stores between cells: their progress, and the fence that ends writes to a store. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Moves of stores. Only the rows of the global database are used.
  yield* sql`
    create table store_moves (
      store_id uuid primary key,
      source text not null,
      target text not null,
      state text not null check (state in ('copying', 'frozen', 'switched', 'cleaned')),
      started_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp()
    )
  `

  // Stores of this database that are moving. Workers leave them alone. draining: writes are still accepted. leaving: all
  // writes fail. arriving: the store is still served by another cell, and only replication writes.
  yield* sql`
    create table store_fences (
      store_id uuid primary key,
      state text not null check (state in ('draining', 'leaving', 'arriving'))
    )
  `

  // Keys of the rows of moving stores that changed, and the transactions that changed them. A move compares these rows again.
  yield* sql`
    create table store_changes (
      store_id uuid not null,
      table_name text not null,
      key jsonb not null,
      xid xid8 not null default pg_current_xact_id(),
      primary key (store_id, xid, table_name, key)
    )
  `

  // Triggers that a move creates call this for each row that a session writes to the store. Replication does not fire them.
  // Arguments: the store, the kind of write that is dropped instead of refused, since one statement writes rows of many
  // stores, and in the source the table and the columns of its key. The shared lock makes the freeze wait for writes that
  // found no fence.
  yield* sql`
    create function fence_store() returns trigger language plpgsql as $$
      declare
        fence text;
        line jsonb;
      begin
        perform pg_advisory_xact_lock_shared(72103, uuid_hash(tg_argv[0]::uuid));
        select state into fence from store_fences where store_id = tg_argv[0]::uuid;
        if fence = 'arriving' or fence = 'leaving' and tg_argv[1] = tg_op then
          return null;
        elsif fence = 'leaving' then
          raise exception 'The store moves to another cell' using errcode = 'PA001';
        end if;
        if tg_nargs > 2 then
          line := to_jsonb(case when tg_op = 'DELETE' then old else new end);
          insert into store_changes (store_id, table_name, key)
          select tg_argv[0]::uuid, tg_argv[2], jsonb_object_agg(name, line -> name)
          from unnest(tg_argv[3:]) as name
          on conflict do nothing;
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        return new;
      end
    $$
  `

  for (const table of WITHOUT_STORE) yield* sql`alter table ${sql(table)} replica identity full`

  // Logical replication refuses generated columns in a key. The columns keep their values; triggers compute new ones.
  yield* sql`
    create function set_collection_columns() returns trigger language plpgsql as $$
      begin
        new.id := new.document ->> 'id';
        new.version := new.document ->> 'version';
        new.slug := new.document ->> 'slug';
        return new;
      end
    $$
  `
  yield* sql`
    create function set_failure_digest() returns trigger language plpgsql as $$
      begin
        new.digest := md5(new.url);
        return new;
      end
    $$
  `
  yield* sql`
    alter table collections
      alter column id drop expression, alter column version drop expression, alter column slug drop expression
  `
  yield* sql`alter table import_image_failures alter column digest drop expression`
  yield* sql`
    create trigger set_collection_columns before insert or update on collections for each row
    execute function set_collection_columns()
  `
  yield* sql`
    create trigger set_failure_digest before insert on import_image_failures for each row
    execute function set_failure_digest()
  `
})
