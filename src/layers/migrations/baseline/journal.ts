import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOrderedRead } from "./orderedReads.ts"

/** Creates the responses by idempotency key, and the journal of changes. */
export const createJournal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Outcomes for repeated requests with the same idempotency key. For a write outside of stores, store_id and actor_id
  // are both the account, so neither is a foreign key.
  yield* sql`
    create table idempotency_records (
      store_id uuid not null,
      actor_id uuid not null,
      key text not null,
      fingerprint bytea not null,
      outcome text not null,
      expires_at timestamptz not null,
      primary key (store_id, actor_id, key)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  // Finds expired rows for the purge, which stops at the first row that has not expired. Space of deleted rows is
  // reused, so a BRIN index would match most of the table.
  yield* sql`create index idempotency_records_in_order on idempotency_records (expires_at)`

  // Sizes of the large responses of each actor, whose sum is limited. An index on idempotency_records would cost every
  // write.
  yield* sql`
    create table large_responses (
      store_id uuid not null,
      actor_id uuid not null,
      key text not null,
      bytes integer not null,
      expires_at timestamptz not null,
      primary key (store_id, actor_id, key)
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index large_responses_by_end on large_responses (expires_at)`

  // Every change with its author, kept for 400 days (docs/decisions/0013). Entries outlive what they describe, so there
  // are no foreign keys.
  // part: number of the entry's 30-day period, modulo 16. id: id of the event, if the change has one. version: null for
  // a member's change of something without versions. before, after: members of the document that changed; null if the
  // resource did not or does not exist. omitted: members that were too large to store. memberships: result of
  // memberships_of for a deleted product. external_id: that of a deleted product. undoes: entry that this one undoes.
  // change_set_id: change set of which the entry is part.
  yield* sql`
    create table journal (
      store_id uuid not null,
      id uuid not null,
      part smallint not null,
      at timestamptz not null,
      actor_type text not null,
      actor_id uuid not null,
      approved_by uuid,
      surface text not null,
      request_id text,
      idempotency_key text,
      hops smallint not null,
      reason text,
      resource text not null,
      resource_id uuid not null,
      version integer,
      before text,
      after text,
      omitted text[] not null,
      memberships text,
      external_id text,
      undoes uuid,
      change_set_id uuid,
      primary key (store_id, id, part)
    ) partition by list (part)
  `
  // Finds the newest entry of a partition, which decides if the partition can be emptied.
  yield* sql`create index journal_by_time on journal (at)`
  // Lists the history of a resource.
  yield* sql`create index journal_by_resource on journal (store_id, resource_id, id)`
  // Lists the changes of an actor.
  yield* sql`create index journal_by_actor on journal (store_id, actor_id, id)`
  for (let part = 0; part < 16; part++) {
    const number = sql.literal(String(part))
    yield* sql`create table journal_${number} partition of journal for values in (${number})`
  }

  // Entries are immutable. A trigger enforces this, because privileges do not apply to the owner of a table. TRUNCATE
  // still empties partitions.
  yield* sql`
    create function refuse_journal_change() returns trigger language plpgsql as $$
      begin
        raise insufficient_privilege using message = 'entries of the journal are not changed, nor deleted one by one';
      end
    $$
  `
  yield* sql`
    create trigger refuse_journal_change before update or delete on journal for each row
    execute function refuse_journal_change()
  `

  const before = "t.store_id = store and t.id < until and t.id >= since"
  yield* createOrderedRead({
    name: "entries_before",
    parameters: "store uuid, until uuid, since uuid, most integer",
    table: "journal",
    where: `${before} order by t.id desc`
  })
  yield* createOrderedRead({
    name: "entries_before_of_resource",
    parameters: "store uuid, until uuid, since uuid, most integer, of_resource uuid",
    table: "journal",
    where: `${before} and t.resource_id = of_resource order by t.id desc`
  })
  yield* createOrderedRead({
    name: "entries_before_of_actor",
    parameters: "store uuid, until uuid, since uuid, most integer, of_actor uuid",
    table: "journal",
    where: `${before} and t.actor_id = of_actor order by t.id desc`
  })
  yield* createOrderedRead({
    name: "entries_after",
    parameters: "store uuid, last uuid, until uuid, of_parts smallint[], of_resources text[], most integer",
    table: "journal",
    where: `t.store_id = store and t.id > last and t.id < until
      and t.part = any(of_parts) and t.resource = any(of_resources) order by t.id`
  })
  // Compares rows, because two indexes return the ids of a resource in order. Only one of them starts with the
  // resource.
  yield* createOrderedRead({
    name: "entries_of_resource",
    parameters: "store uuid, of_resource uuid, since uuid, since_version integer, most integer",
    table: "journal",
    where: `(t.store_id, t.resource_id, t.id) >= (store, of_resource, since)
      and (t.store_id, t.resource_id, t.id) <= (store, of_resource, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and t.version >= since_version order by t.store_id, t.resource_id, t.id`
  })
})
