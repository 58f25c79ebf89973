import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the forms that members have open. Unlogged: after a crash, clients announce them again within seconds. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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
