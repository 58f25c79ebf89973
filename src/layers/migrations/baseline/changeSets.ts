import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates change sets and imports with their operations and results. */
export const createChangeSets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Change sets and imports.
  // cause: event that the set responds to. state: see domain/changeSets/ChangeSet.ts. selection, change: a change of
  // everything that rules match. import: how the rows of a file are read and written (domain/imports/ImportFile.ts).
  // on_conflict: what happens to rows that changed since the preview. scopes: required ones; of those joined by | one is
  // enough. total: operations, -1 until the products of a selection are found. done: progress of the current step.
  // created: rows that were created, of the changed ones. preview: its summary. failure: why the set failed. finished_at:
  // end of the set, from which it is kept for a while.
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
      import json,
      undoes uuid,
      scopes text[] not null,
      apply_at timestamptz,
      on_conflict text not null default 'skip',
      total integer not null,
      done integer not null default 0,
      changed integer not null default 0,
      created integer not null default 0,
      unchanged integer not null default 0,
      refused integer not null default 0,
      images_copied integer not null default 0,
      images_failed integer not null default 0,
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
  // The few unfinished sets of a store, which each open dashboard lists every few seconds.
  yield* sql`
    create index change_sets_unfinished on change_sets (store_id, id)
    where state in ('previewing', 'ready', 'scheduled', 'applying')
  `
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
  // base: version of the resource before the transaction of a preview, which a set compares with when it is applied. line,
  // external_id: place of the row in the file, and its id there.
  yield* sql`
    create table change_set_results (
      store_id uuid not null,
      change_set_id uuid not null,
      index integer not null,
      outcome text not null,
      resource text,
      resource_id uuid,
      seen integer,
      base integer,
      version integer,
      entry_id uuid,
      is_applied boolean not null default false,
      error text,
      issues json,
      line integer,
      external_id text,
      primary key (store_id, change_set_id, index)
    ) with (fillfactor = 80)
  `

  // Pictures that an import leaves at their URLs. error: type of the error. digest: of the URL, which can be too
  // long for an index. A trigger computes it; logical replication refuses generated columns in a key.
  yield* sql`
    create table import_image_failures (
      store_id uuid not null,
      change_set_id uuid not null,
      url text not null,
      error text not null,
      reason text not null,
      digest text not null,
      primary key (store_id, change_set_id, digest),
      foreign key (store_id, change_set_id) references change_sets on delete cascade
    )
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
    create trigger set_failure_digest before insert on import_image_failures for each row
    execute function set_failure_digest()
  `
})
