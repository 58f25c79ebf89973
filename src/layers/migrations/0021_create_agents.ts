import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents of stores with their budgets and windows, and the windows of merchants. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // writes: those of the day `written_on`, in UTC. requests: how many there may be in any 60 seconds.
  yield* sql`
    create table agents (
      store_id uuid not null references stores (id),
      id uuid not null,
      token_hash bytea not null,
      name text not null,
      scopes text[] not null,
      budget integer not null,
      requests integer not null,
      proposals_only boolean not null,
      writes integer not null default 0,
      written_on date not null default '-infinity',
      created_by uuid not null references merchants (id),
      created_at timestamptz not null default clock_timestamp(),
      revoked_at timestamptz,
      primary key (store_id, id)
    ) with (fillfactor = 50)
  `
  yield* sql`create index agents_by_token on agents (token_hash)`

  // Apart from the agent, whose row its writes hold until they commit: nobody waits for them to be admitted.
  yield* sql`
    create table agent_windows (
      store_id uuid not null,
      agent_id uuid not null,
      hits bigint[] not null default '{}',
      primary key (store_id, agent_id),
      foreign key (store_id, agent_id) references agents on delete cascade
    ) with (fillfactor = 50)
  `
  // Of all their stores and sessions together.
  yield* sql`alter table merchants add column hits bigint[] not null default '{}'`
  yield* sql`alter table merchants set (fillfactor = 50)`
})
