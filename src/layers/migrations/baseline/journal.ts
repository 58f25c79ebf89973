import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOrderedRead } from "./orderedReads.ts"

/** Responses by idempotency key, and the journal of changes. */
export const createJournal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Responses that a repeated request with the same idempotency key gets.
  // For a write outside stores, both store_id and actor_id are the account. Therefore neither is a foreign key.
  yield* sql`
    create table idempotency_records (
      store_id uuid not null,
      actor_id uuid not null,
      key text not null,
      fingerprint bytea not null,
      status smallint,
      body text,
      etag text,
      expires_at timestamptz not null,
      primary key (store_id, actor_id, key)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  // The purge reads from its start and stops at the first row that has not expired. A BRIN index would find old ranges
  // with new rows in reused space, and read the whole table.
  yield* sql`create index idempotency_records_in_order on idempotency_records (expires_at)`

  // Sizes of the large responses of each actor, which are limited in sum. An index over idempotency_records would cost
  // every write.
  yield* sql`
    create table large_answers (
      store_id uuid not null,
      actor_id uuid not null,
      key text not null,
      bytes integer not null,
      expires_at timestamptz not null,
      primary key (store_id, actor_id, key)
    )
  `
  // For the purge.
  yield* sql`create index large_answers_by_end on large_answers (expires_at)`

  // Every change with its author, kept for 400 days (docs/decisions/0013). Entries outlive what they describe, so there
  // are no foreign keys.
  // part: the thirty days of the entry, modulo 16. id: of the change's event, if it has one. version: null for a change by
  // a member to something without versions. before, after: the members of the document that an update changed; null where
  // there is no resource. omitted: those of them that were too large. memberships: of a deleted product (memberships_of).
  // external_id: of a deleted product. undoes: the entry that this one undoes.
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
      primary key (store_id, id, part)
    ) partition by list (part)
  `
  // The newest entry of a partition decides whether the partition can be emptied.
  yield* sql`create index journal_by_time on journal (at)`
  yield* sql`create index journal_by_resource on journal (store_id, resource_id, id)`
  yield* sql`create index journal_by_actor on journal (store_id, actor_id, id)`
  for (let part = 0; part < 16; part++) {
    const number = sql.literal(String(part))
    yield* sql`create table journal_${number} partition of journal for values in (${number})`
  }

  // Entries never change. A trigger, because privileges do not bind the owner of a table. TRUNCATE empties partitions.
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
  // Compares rows, because two indexes have the ids of one resource in order, and only one of them begins with it.
  yield* createOrderedRead({
    name: "entries_of_resource",
    parameters: "store uuid, of_resource uuid, since uuid, since_version integer, most integer",
    table: "journal",
    where: `(t.store_id, t.resource_id, t.id) >= (store, of_resource, since)
      and (t.store_id, t.resource_id, t.id) <= (store, of_resource, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and t.version >= since_version order by t.store_id, t.resource_id, t.id`
  })
})
