import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the directory of cells, and moves of stores between them with the fence that ends writes to a store. A cell is a
 * database that holds the rows of some stores. The database with the directory is itself the cell `main`, which has all
 * stores that the directory does not name.
 */
export const createCells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Cells besides `main`. is_open: true if new stores may be created in it.
  yield* sql`
    create table cells (
      name text primary key check (name ~ '^[a-z][a-z0-9]{0,30}$'),
      is_open boolean not null default true,
      created_at timestamptz not null default clock_timestamp()
    )
  `

  // Cell of each store that is not in `main`. epoch: rises with each move of the store.
  yield* sql`
    create table directory (
      store_id uuid primary key,
      cell text not null,
      epoch integer not null default 1
    )
  `
  // Counts the stores of a cell.
  yield* sql`create index directory_by_cell on directory (cell)`

  // Stores outside of the cell main of which an account may be a member. Written before the membership and not deleted with it:
  // the cell decides.
  yield* sql`
    create table merchant_stores (
      merchant_id uuid not null,
      store_id uuid not null,
      primary key (store_id, merchant_id)
    )
  `
  yield* sql`create index merchant_stores_by_merchant on merchant_stores (merchant_id)`

  // Stores of tokens, for those of earlier releases that do not name their store. Only the rows of the global database are
  // used: those of stores that have left it. Written before the switch of a move; may name tokens that are gone.
  yield* sql`
    create table token_stores (
      token_hash bytea primary key,
      store_id uuid not null,
      expires_at timestamptz not null
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index token_stores_by_expiry on token_stores (expires_at)`

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

  // Triggers that a move creates call this for each row that a session writes to the store. Replication does not fire
  // them. A trigger that returns null drops the write, and its statement reports fewer rows as if they did not exist. So the
  // fence raises for every write that it does not accept. Statements that write rows of many stores leave out those behind
  // a fence. Arguments: the store, one that is not used any more, and in the source the table and the columns of its key.
  // The shared lock makes the freeze wait for writes that found no fence.
  yield* sql`
    create function fence_store() returns trigger language plpgsql as $$
      declare
        fence text;
        line jsonb;
      begin
        perform pg_advisory_xact_lock_shared(72103, uuid_hash(tg_argv[0]::uuid));
        select state into fence from store_fences where store_id = tg_argv[0]::uuid;
        if fence in ('arriving', 'leaving') then
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
})
