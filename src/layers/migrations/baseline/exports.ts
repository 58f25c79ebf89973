import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates exports and the parts of their files. */
export const createExports = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Exports.
  // format, filter, state: see domain/exports/Export.ts. exported, bytes: rows and bytes in the stored parts. finished_at: end of the
  // export, from which it is kept for a while. filter: JSON of the fields of the list.
  yield* sql`
    create table exports (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      kind text not null,
      format text not null default 'jsonl',
      filter text not null default '{}',
      state text not null,
      exported integer not null default 0,
      bytes bigint not null default 0,
      failure text,
      created_at timestamptz not null,
      finished_at timestamptz,
      primary key (store_id, id)
    )
  `
  // Finds exports for the purge.
  yield* sql`create index exports_by_end on exports (finished_at) where finished_at is not null`

  // JSON Lines, in the order of index, from 0.
  yield* sql`
    create table export_parts (
      store_id uuid not null,
      export_id uuid not null,
      index integer not null,
      lines text not null,
      primary key (store_id, export_id, index),
      foreign key (store_id, export_id) references exports on delete cascade
    )
  `
})
