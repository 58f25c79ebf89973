import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Writes of agents that wait for a member of their store, and who approved what the journal tells of. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // status: `pending` also of one that expired, which nobody writes down.
  yield* sql`
    create table proposals (
      store_id uuid not null,
      id uuid not null,
      agent_id uuid not null,
      procedure text not null,
      payload json not null,
      ground json not null,
      status text not null default 'pending',
      reason text,
      decided_by uuid references merchants (id),
      decided_at timestamptz,
      result json not null default '[]',
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (store_id, id),
      foreign key (store_id, agent_id) references agents
    )
  `
  yield* sql`create index proposals_pending on proposals (store_id, agent_id, id) where status = 'pending'`
  yield* sql`create index proposals_by_end on proposals (expires_at)`

  yield* sql`alter table journal add column approved_by uuid`
})
