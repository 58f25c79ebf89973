import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the views of stores. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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
})
