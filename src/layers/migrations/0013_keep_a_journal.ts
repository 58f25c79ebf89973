import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Who wrote what, for 400 days. Its partitions are made, and dropped, as time goes (layers/Journal). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // id: that of the event, if the change made one. before and after: the resource, null where there is none.
  yield* sql`
    create table journal (
      store_id uuid not null,
      id uuid not null,
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
      primary key (store_id, id)
    ) partition by range (id)
  `
  yield* sql`create table journal_default partition of journal default`
})
