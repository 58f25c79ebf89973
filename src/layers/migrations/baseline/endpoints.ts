import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the endpoints of webhooks, and the triggers that wake them. */
export const createEndpoints = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // When the next delivery of each app with deliveries is due, and the health of its endpoint as the workers of this
  // database saw it.
  // next_at: time until which nothing is due, null if nothing is waiting. It may be too early, never too late. wakes:
  // number of changes that may have moved it forward. revision: revision of the webhook that the columns after it
  // belong to. failing_since: time of the first failure since the last success. called_at: time of the first request
  // to the URL. test_failed_at: time of the last test if it failed and no delivery succeeded since. A failed test pauses
  // nothing, so it is not part of failing_since. There is no foreign key: in a cell, webhooks arrive by replication,
  // possibly after deliveries.
  yield* sql`
    create table endpoints (
      app_id uuid primary key,
      next_at timestamptz,
      wakes bigint not null default 0,
      revision integer not null default 0,
      failing_since timestamptz,
      called_at timestamptz,
      test_failed_at timestamptz,
      paused_at timestamptz,
      pause_reason text check (pause_reason in ('gone', 'failing')),
      check ((paused_at is null) = (pause_reason is null))
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)
  `
  yield* sql`create index endpoints_healthy on endpoints (next_at) where failing_since is null`
  yield* sql`create index endpoints_failing on endpoints (next_at) where failing_since is not null`

  // Endpoints that got something to do. A row appears with the commit of its delivery, and a claim moves it to
  // `endpoints`. Writers only insert, so writers of the same app never wait for each other.
  yield* sql`
    create table wakeups (
      id bigint generated always as identity primary key,
      app_id uuid not null,
      next_at timestamptz not null
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)
  `

  // Triggers, so that each delivery wakes its endpoint, whatever inserts it, restores too. They do not run for replicated rows, because the apply of PostgreSQL runs triggers of rows only: whoever brings
  // deliveries by replication inserts wakeups of the unfinished ones when their store starts here.
  // Inserts wake an endpoint once a statement. Updates seldom wake one; the condition of a row costs them less than a
  // call for each statement.
  yield* sql`
    create function wake_endpoints() returns trigger language plpgsql as $$
      begin
        insert into wakeups (app_id, next_at)
        select app_id, min(next_at) from inserted where finished_at is null group by app_id;
        return null;
      end
    $$
  `
  yield* sql`
    create trigger wake_inserted after insert on deliveries referencing new table as inserted for each statement
    execute function wake_endpoints()
  `
  yield* sql`
    create function wake_endpoint() returns trigger language plpgsql as $$
      begin
        insert into wakeups (app_id, next_at) values (new.app_id, new.next_at);
        return null;
      end
    $$
  `
  yield* sql`
    create trigger wake_updated after update on deliveries for each row
    when (new.finished_at is null and (old.finished_at is not null or new.next_at < old.next_at))
    execute function wake_endpoint()
  `
  // In a cell, replication runs it, without a search path.
  yield* sql`
    create function wake_webhook() returns trigger language plpgsql set search_path = public as $$
      begin
        insert into wakeups (app_id, next_at) values (new.app_id, clock_timestamp());
        return null;
      end
    $$
  `
  yield* sql`
    create trigger wake_changed after insert or update on webhooks for each row execute function wake_webhook()
  `
  // In a cell, webhooks arrive by replication, for which triggers are off by default.
  yield* sql`alter table webhooks enable always trigger wake_changed`
})
