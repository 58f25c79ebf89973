import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Finds the stores of tokens that do not name them, and makes the fence of a move refuse every write with an error. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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

  // A trigger that returns null drops the write, and its statement reports fewer rows as if they did not exist. So the fence
  // raises for every write that it does not accept. Statements that write rows of many stores leave out those behind a fence.
  // Arguments: the store, one that is not used any more, and in the source the table and the columns of its key.
  yield* sql`
    create or replace function fence_store() returns trigger language plpgsql as $$
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
