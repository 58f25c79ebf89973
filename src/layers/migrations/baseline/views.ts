import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the views of stores, and the forms that members have open. */
export const createViews = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Saved views of lists.
  // owner_id: member to whom a private view belongs; null for a shared view.
  yield* sql`
    create table views (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      owner_id uuid,
      resource text not null,
      name text not null,
      query json not null,
      columns text[] not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (store_id, id),
      foreign key (store_id, owner_id) references members on delete cascade
    )
  `

  // Forms that members have open. Unlogged: after a crash, clients announce them again within seconds.
  yield* sql`
    create unlogged table open_forms (
      store_id uuid not null,
      kind text not null,
      resource_id uuid not null,
      member_id uuid not null,
      opened_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (store_id, kind, resource_id, member_id),
      foreign key (store_id, member_id) references members on delete cascade
    )
  `
  // Serves the foreign key.
  yield* sql`create index open_forms_by_member on open_forms (store_id, member_id)`
  // Finds expired rows for the purge.
  yield* sql`create index open_forms_by_end on open_forms (expires_at)`
})
