import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOrderedRead } from "./orderedReads.ts"
import { createWeeks } from "./weeks.ts"

/** Creates events, webhooks and deliveries. */
export const createWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Outbox: one row for each change, inserted in its transaction. Partitioned by weeks, so that events are dropped by weeks.
  // hops: length of the chain of deliveries that led to the event. needed_at: last time that a purge found a delivery
  // which needs the event; null while the age of the event decides. trace_parent: trace of the write, to which deliveries
  // belong too.
  yield* sql`
    create table events (
      store_id uuid not null,
      id uuid not null,
      kind text not null,
      occurred_at timestamptz not null,
      actor_type text not null check (actor_type in ('app', 'merchant', 'agent')),
      origin_installation_id uuid check ((actor_type = 'app') = (origin_installation_id is not null)),
      hops smallint not null default 0 check (hops between 0 and 10),
      resource_id uuid not null,
      resource_version integer not null,
      payload text not null,
      trace_parent text,
      needed_at timestamptz,
      primary key (store_id, id)
    ) partition by range (id)
  `
  for (const name of yield* createWeeks({
    table: "events",
    storage: "toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000"
  })) {
    // Finds expired rows for the purge. Events of later weeks are dropped with their partitions.
    yield* sql`create index ${sql(`${name}_in_order`)} on ${sql(name)} ((coalesce(needed_at, occurred_at)))`
  }

  // Webhook of each app.
  // Revisions: numbers of the changes that void the health of an endpoint: of the webhook, of its URL, and its last
  // resumption. A change increases a number instead of writing to `endpoints`, which other databases have too.
  yield* sql`
    create table webhooks (
      app_id uuid primary key references apps on delete cascade,
      url text not null,
      kinds text[] not null check (cardinality(kinds) > 0),
      secret text not null,
      previous_secret text,
      previous_secret_until timestamptz check ((previous_secret is null) = (previous_secret_until is null)),
      set_revision integer not null default 0,
      url_revision integer not null default 0,
      resumed_revision integer not null default 0,
      paused_at timestamptz,
      pause_reason text check (pause_reason in ('operator', 'gone', 'failing')),
      created_at timestamptz not null default clock_timestamp(),
      check ((paused_at is null) = (pause_reason is null))
    )
  `

  // Deliveries: one row for each event and receiving installation, inserted in the transaction of the event. Purges
  // delete deliveries before events, and attempts with their delivery, so no foreign keys are needed. Vacuumed often:
  // by default, PostgreSQL waits until a fifth of a long history is dead, millions of entries before the live ones in
  // the queue.
  // next_at: time at which the delivery is due, or its lease ends. attempts: number of all attempts. failures: number
  // of failed attempts since the last restart. outcome: `held` counts as finished, so that a held delivery is not in
  // the queue.
  yield* sql`
    create table deliveries (
      store_id uuid not null,
      event_id uuid not null,
      installation_id uuid not null,
      app_id uuid not null,
      created_at timestamptz not null default clock_timestamp(),
      next_at timestamptz not null default clock_timestamp(),
      lease uuid,
      attempts integer not null default 0,
      failures smallint not null default 0,
      outcome text check (outcome in ('delivered', 'dead', 'skipped', 'canceled', 'held')),
      finished_at timestamptz check ((finished_at is null) = (outcome is null)),
      primary key (store_id, event_id, installation_id),
      check (lease is null or outcome is null)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  // Queue of each app.
  yield* sql`create index deliveries_due on deliveries (app_id, next_at) where finished_at is null`
  // History of each app. The ids of events rise with time.
  yield* sql`create index deliveries_by_app on deliveries (app_id, event_id)`
  // Finds expired rows for the purge.
  yield* sql`create index deliveries_in_order on deliveries (finished_at) where finished_at is not null`
  yield* createOrderedRead({
    name: "deliveries_before_of_app",
    parameters: "app uuid, until uuid, most integer",
    table: "deliveries",
    where: "t.app_id = app and t.event_id < until order by t.event_id desc"
  })

  // Attempts of deliveries. Partitioned by the weeks of their events, so that they are dropped by weeks.
  // answer: first bytes of the response.
  yield* sql`
    create table delivery_attempts (
      store_id uuid not null,
      event_id uuid not null,
      installation_id uuid not null,
      attempt integer not null,
      started_at timestamptz not null,
      duration_ms integer,
      status smallint,
      answer bytea,
      error text,
      primary key (store_id, event_id, installation_id, attempt)
    ) partition by range (event_id)
  `
  yield* createWeeks({
    table: "delivery_attempts",
    storage: "autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000"
  })
})
