import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { identifyByRow } from "./identities.ts"

/** Creates apps, installations, app plans and subscriptions. */
export const createApps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Apps, with the scopes and capabilities that they request.
  // developer_id: account that owns the app; null for an app of the operator.
  yield* sql`
    create table apps (
      id uuid primary key,
      name text not null check (name <> ''),
      scopes text[] not null,
      capabilities text[] not null default '{}',
      developer_id uuid references merchants,
      website text,
      logo_url text,
      is_public boolean not null default false,
      redirect_uris text[] not null default '{}',
      created_at timestamptz not null default now()
    )
  `
  // Pages of the apps of a developer.
  yield* sql`create index apps_by_developer on apps (developer_id, id)`

  // Hashes of the secrets with which apps authenticate.
  // ends_at: time at which a replaced secret stops working.
  yield* sql`
    create table client_secrets (
      app_id uuid not null references apps on delete cascade,
      id uuid not null,
      secret_hash bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      ends_at timestamptz,
      primary key (app_id, id)
    )
  `

  // Installations of apps on stores, with the granted scopes and capabilities. An uninstalled app keeps its row and id.
  // installed_at: time of the last reinstallation. held_at: start of the hold on deliveries. subscription_id: latest
  // subscription. emptied_for: the value of uninstalled_at for which the app data was purged.
  yield* sql`
    create table installations (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      app_id uuid not null references apps,
      scopes text[] not null,
      capabilities text[] not null default '{}',
      is_active boolean not null default true,
      created_at timestamptz not null default now(),
      installed_at timestamptz,
      uninstalled_at timestamptz,
      held_at timestamptz,
      subscription_id uuid,
      emptied_for timestamptz,
      primary key (store_id, id),
      constraint installations_state_check check (uninstalled_at is null or not is_active)
    )
  `
  // A store installs an app once.
  yield* sql`create unique index installations_by_app on installations (store_id, app_id)`
  // Finds an installation whose store is not known.
  yield* sql`create index installations_by_id on installations (id)`
  // Pages of the installations of an app, for its developer.
  yield* sql`create index installations_of_app on installations (app_id, id)`
  // Finds uninstalled apps with data to purge.
  yield* sql`
    create index installations_to_empty on installations (uninstalled_at)
    where uninstalled_at is not null and uninstalled_at is distinct from emptied_for
  `

  // Hashes of the access tokens of installations. Vacuumed often, because each purge leaves dead entries at the start
  // of the index on expires_at, which the next purge must read.
  // grant_id: OAuth grant of the token; null for a token that the operator issued.
  yield* sql`
    create table access_tokens (
      token_hash bytea primary key,
      store_id uuid not null,
      installation_id uuid not null,
      grant_id uuid,
      expires_at timestamptz not null,
      foreign key (store_id, installation_id) references installations on delete cascade
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  // Serves the foreign key.
  yield* sql`create index access_tokens_by_installation on access_tokens (store_id, installation_id)`
  // Finds expired rows for the purge.
  yield* sql`create index access_tokens_in_order on access_tokens (expires_at)`
  yield* identifyByRow("access_tokens")

  // Rolling windows of the requests of installations.
  // hits: times of the last 100 admitted requests in microseconds, oldest first. The row is inserted at installation,
  // and then only updated: an upsert locks the row for refused requests too, which cost 90 % of the rate of a busy
  // installation. written: position in the log of the database after the last write, for reads from a replica.
  yield* sql`
    create table rate_windows (
      store_id uuid not null,
      installation_id uuid not null,
      hits bigint[] not null default '{}',
      written pg_lsn,
      primary key (store_id, installation_id),
      foreign key (store_id, installation_id) references installations on delete cascade
    ) with (fillfactor = 50)
  `

  // The last requests of each installation, newest first, as one JSON array that is replaced.
  yield* sql`
    create table recent_requests (
      store_id uuid not null,
      installation_id uuid not null,
      requests jsonb not null,
      primary key (store_id, installation_id),
      foreign key (store_id, installation_id) references installations on delete cascade
    ) with (fillfactor = 50)
  `

  // Plans of apps, with their prices. Changes apply to later subscriptions only.
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

  // Subscriptions of installations, with a copy of the terms.
  // ends_at: end of the paid period of a cancelled subscription.
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
