import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Deliveries in a row that led to the event.
  yield* sql`alter table events add column hops smallint not null default 0 check (hops between 0 and 10)`
  // Rows arrive in the order of their time, so a few pages of BRIN find the old ones at no cost to a write.
  yield* sql`create index events_by_time on events using brin (occurred_at)`

  // One for each app. failing_since: when the first of the failures came that no success has followed since.
  yield* sql`
    create table webhooks (
      app_id uuid primary key references apps on delete cascade,
      url text not null,
      kinds text[] not null check (cardinality(kinds) > 0),
      secret text not null,
      previous_secret text,
      previous_secret_until timestamptz check ((previous_secret is null) = (previous_secret_until is null)),
      failing_since timestamptz,
      paused_at timestamptz,
      pause_reason text check (pause_reason in ('operator', 'gone', 'failing')),
      created_at timestamptz not null default clock_timestamp(),
      check ((paused_at is null) = (pause_reason is null))
    )
  `

  // A row for each event and installation that is told of it, written in the transaction of the event. Without foreign
  // keys, like the events. next_at: when it is due; while it is leased, when the lease ends. attempts counts all there
  // were, failures those since it was last started afresh. Vacuumed often: a fifth of a long history, the default, would
  // be millions of dead entries before the live ones in the queue.
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
      outcome text check (outcome in ('delivered', 'dead', 'skipped', 'canceled')),
      finished_at timestamptz check ((finished_at is null) = (outcome is null)),
      primary key (store_id, event_id, installation_id),
      check (lease is null or outcome is null)
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  // The queue of each app. Only what is unfinished stands in it.
  yield* sql`create index deliveries_due on deliveries (app_id, next_at) where finished_at is null`
  // An app's history; ids of events rise with time.
  yield* sql`create index deliveries_by_app on deliveries (app_id, event_id)`
  yield* sql`create index deliveries_by_end on deliveries using brin (finished_at)`

  // answer: the first bytes of what the receiver said, whatever they are.
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
    )
  `
})
