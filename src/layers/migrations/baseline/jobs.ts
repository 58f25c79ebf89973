import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates jobs, which do durable work, and the rounds of housekeeping. */
export const createJobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Unfinished durable work on a subject, such as a change set. A finished job is deleted.
  // next_at: next turn of a waiting job, or the end of the lease of a running one. failures: faults in a row.
  // began_at: time of the first turn, so that a store finishes one change set before it begins the next.
  yield* sql`
    create table jobs (
      store_id uuid not null,
      subject_id uuid not null,
      kind text not null,
      next_at timestamptz not null default now(),
      lease uuid,
      is_canceled boolean not null default false,
      failures integer not null default 0,
      created_at timestamptz not null default now(),
      began_at timestamptz,
      primary key (store_id, subject_id)
    )
  `
  // One running job for each store.
  yield* sql`create unique index jobs_running on jobs (store_id) where lease is not null`
  // Finds the next job in the order of turns.
  yield* sql`create index jobs_by_turn on jobs (next_at)`

  // One row with the begin of the last round of housekeeping, so that the processes of a database share the rounds.
  yield* sql`
    create table housekeeping (
      id smallint primary key default 1 check (id = 1),
      started_at timestamptz not null default '-infinity'
    )
  `
  yield* sql`insert into housekeeping default values`
})
