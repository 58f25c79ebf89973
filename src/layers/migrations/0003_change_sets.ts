import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates change sets with their operations and results, and the jobs that work on them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Change set of which the entry is part.
  yield* sql`alter table journal add column change_set_id uuid`

  // Unfinished durable work on a subject, such as a change set. A finished job is deleted.
  // next_at: next turn of a waiting job, or the end of the lease of a running one. failures: faults in a row.
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
      primary key (store_id, subject_id)
    )
  `
  // One running job for each store.
  yield* sql`create unique index jobs_running on jobs (store_id) where lease is not null`
  // Finds the next job in the order of turns.
  yield* sql`create index jobs_by_turn on jobs (next_at)`

  // cause: event that the set responds to. state: see domain/changeSets/ChangeSet.ts. selection, change: a change of everything that rules match. on_conflict:
  // what happens to rows that changed since the preview. scopes: required ones; of those joined by | one is enough.
  // total: operations, -1 until the products of a selection are found. done: progress of the current step. preview: its summary. failure: why the set failed. finished_at: end of the set, from which it is kept for a while.
  yield* sql`
    create table change_sets (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      state text not null,
      mode text not null,
      note text,
      actor_type text not null,
      actor_id uuid not null,
      approved_by uuid,
      surface text not null,
      request_id text,
      cause uuid,
      selection json,
      change json,
      undoes uuid,
      scopes text[] not null,
      apply_at timestamptz,
      on_conflict text not null default 'skip',
      total integer not null,
      done integer not null default 0,
      changed integer not null default 0,
      unchanged integer not null default 0,
      refused integer not null default 0,
      preview json,
      failure text,
      created_at timestamptz not null,
      previewed_at timestamptz,
      applied_at timestamptz,
      finished_at timestamptz,
      primary key (store_id, id)
    )
  `
  // Finds finished sets for the purge, and sets that wait for too long.
  yield* sql`create index change_sets_by_end on change_sets (finished_at) where finished_at is not null`
  yield* sql`create index change_sets_waiting on change_sets (previewed_at) where state = 'ready'`
  // Finds the undo of a set.
  yield* sql`create index change_sets_by_undone on change_sets (store_id, undoes) where undoes is not null`

  // Change sets whose operations are being received. The set is created when all have arrived.
  yield* sql`
    create table change_set_uploads (
      store_id uuid not null,
      id uuid not null,
      started_at timestamptz not null default now(),
      primary key (store_id, id)
    )
  `
  // Finds uploads that ended without a set.
  yield* sql`create index change_set_uploads_by_time on change_set_uploads (started_at)`

  // Operations as sent. They are deleted when their set ends.
  yield* sql`
    create table change_set_operations (
      store_id uuid not null,
      change_set_id uuid not null,
      index integer not null,
      operation text not null,
      primary key (store_id, change_set_id, index)
    )
  `
  // Result of each operation: of the preview, then of its application.
  // seen: version of the resource before the operation. is_applied: false for the result of the preview.
  yield* sql`
    create table change_set_results (
      store_id uuid not null,
      change_set_id uuid not null,
      index integer not null,
      outcome text not null,
      resource text,
      resource_id uuid,
      seen integer,
      version integer,
      entry_id uuid,
      is_applied boolean not null default false,
      error text,
      issues json,
      primary key (store_id, change_set_id, index)
    ) with (fillfactor = 80)
  `
})
