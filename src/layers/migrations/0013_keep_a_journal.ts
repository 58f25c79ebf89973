import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who wrote what, for 400 days (docs/decisions/0013). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // part: the thirty days in which the entry was made, counted round (layers/Journal). id: that of the event, if the change
  // made one. before and after: of an update the members that differ, null where there is no resource. omitted: those of
  // them that were too large to keep.
  yield* sql`
    create table journal (
      store_id uuid not null,
      id uuid not null,
      part smallint not null,
      at timestamptz not null,
      actor_type text not null,
      actor_id uuid not null,
      surface text not null,
      idempotency_key text,
      hops smallint not null,
      resource text not null,
      resource_id uuid not null,
      version integer not null,
      before text,
      after text,
      omitted text[] not null,
      primary key (store_id, id, part)
    ) partition by list (part)
  `
  // The newest entry of a part says whether all of it may go.
  yield* sql`create index journal_by_time on journal (at)`
  for (let part = 0; part < 16; part++) {
    const number = sql.literal(String(part))
    yield* sql`create table journal_${number} partition of journal for values in (${number})`
  }
})
