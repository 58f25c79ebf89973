import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // installed_at: when it was installed again after it was uninstalled. held_at: since when its deliveries wait.
  // subscription_id: the last one that was agreed to for it.
  yield* sql`
    alter table installations
      add column installed_at timestamptz, add column uninstalled_at timestamptz, add column held_at timestamptz,
      add column subscription_id uuid
  `

  // A delivery that waits is out of the queue, and so as good as finished. What is there already met a stricter check, so
  // it is not gone through, under a lock, to see whether it meets this one.
  yield* sql`
    alter table deliveries
      drop constraint deliveries_outcome_check,
      add constraint deliveries_outcome_check
        check (outcome in ('delivered', 'dead', 'skipped', 'canceled', 'held')) not valid
  `

  // The last requests of an installation, the newest first, as JSON: a row for each, which is replaced.
  yield* sql`
    create table recent_requests (
      store_id uuid not null,
      installation_id uuid not null,
      requests jsonb not null,
      primary key (store_id, installation_id),
      foreign key (store_id, installation_id) references installations on delete cascade
    ) with (fillfactor = 50)
  `

  // What an app asks for. What it is changed to counts for who subscribes later: a subscription keeps what it was.
  yield* sql`
    create table app_plans (
      id uuid primary key,
      app_id uuid not null references apps,
      name text not null check (name <> ''),
      price numeric not null check (price >= 0),
      currency_code text not null check (currency_code ~ '^[A-Z]{3}$'),
      period text not null check (period in ('month', 'year')),
      trial_days integer not null default 0 check (trial_days >= 0),
      created_at timestamptz not null default clock_timestamp(),
      retired_at timestamptz,
      unique (app_id, name)
    )
  `
  // ends_at: until when one that was cancelled is paid for.
  yield* sql`
    create table subscriptions (
      store_id uuid not null,
      id uuid not null,
      installation_id uuid not null,
      plan_id uuid not null references app_plans,
      plan_name text not null,
      price numeric not null check (price >= 0),
      currency_code text not null,
      period text not null check (period in ('month', 'year')),
      started_at timestamptz not null,
      trial_ends_at timestamptz,
      cancelled_at timestamptz,
      ends_at timestamptz check ((ends_at is null) = (cancelled_at is null)),
      primary key (store_id, id),
      foreign key (store_id, installation_id) references installations
    )
  `
})
