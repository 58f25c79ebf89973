import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who may ask for access, what merchants agreed to, and the codes and tokens that came of it. Of secrets only hashes. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // developer_id: whose app it is; null of one that an operator made. Apps are few: their index is made at once.
  yield* sql`
    alter table apps
      add column developer_id uuid references merchants, add column website text, add column logo_url text,
      add column is_public boolean not null default false, add column redirect_uris text[] not null default '{}'
  `
  yield* sql`create index apps_by_developer on apps (developer_id, id)`

  // ends_at: since when one is refused that was replaced.
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
  // Clients of agents: what registered itself, or is described by the document that its id is the address of.
  yield* sql`
    create table agent_clients (
      client_id text primary key,
      name text not null,
      website text,
      logo_url text,
      redirect_uris text[] not null,
      created_at timestamptz not null default clock_timestamp(),
      consented_at timestamptz,
      ends_at timestamptz
    )
  `
  yield* sql`create index agent_clients_by_end on agent_clients (ends_at)`

  // What a member of a store agreed to. resource: what its tokens are for, where the client said it (RFC 8707).
  yield* sql`
    create table oauth_grants (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      client_id text not null,
      installation_id uuid,
      agent_id uuid,
      merchant_id uuid not null references merchants,
      resource text,
      created_at timestamptz not null default clock_timestamp(),
      revoked_at timestamptz,
      primary key (store_id, id),
      foreign key (store_id, installation_id) references installations on delete cascade,
      foreign key (store_id, agent_id) references agents on delete cascade,
      check (num_nonnulls(installation_id, agent_id) = 1)
    )
  `
  yield* sql`create index oauth_grants_by_installation on oauth_grants (store_id, installation_id)`
  yield* sql`create index oauth_grants_by_agent on oauth_grants (store_id, agent_id)`

  // Codes and tokens are looked up before their store is known, as access tokens are. Each has room to be used, and
  // what is purged by the order of its end is cleared away soon, as of those.
  yield* sql`
    create table authorization_codes (
      code_hash bytea primary key,
      store_id uuid not null,
      grant_id uuid not null,
      client_id text not null,
      redirect_uri text not null,
      challenge text not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      foreign key (store_id, grant_id) references oauth_grants on delete cascade
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  yield* sql`create index authorization_codes_by_grant on authorization_codes (store_id, grant_id)`
  yield* sql`create index authorization_codes_by_end on authorization_codes (expires_at)`

  // nonce: with it and the token itself, which nobody else knows, what the token was exchanged for can be made again.
  yield* sql`
    create table refresh_tokens (
      token_hash bytea primary key,
      store_id uuid not null,
      grant_id uuid not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      nonce bytea,
      foreign key (store_id, grant_id) references oauth_grants on delete cascade
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
  `
  yield* sql`create index refresh_tokens_by_grant on refresh_tokens (store_id, grant_id)`
  yield* sql`create index refresh_tokens_by_end on refresh_tokens (expires_at)`

  // grant_id: null of one that an operator issued, or a process of the release before.
  yield* sql`alter table access_tokens add column grant_id uuid`
  yield* sql`
    create table agent_tokens (
      token_hash bytea primary key,
      store_id uuid not null,
      agent_id uuid not null,
      grant_id uuid not null,
      expires_at timestamptz not null,
      foreign key (store_id, agent_id) references agents on delete cascade
    )
  `
  yield* sql`create index agent_tokens_by_agent on agent_tokens (store_id, agent_id)`
  yield* sql`create index agent_tokens_by_end on agent_tokens (expires_at)`
  // ends_at: until when an agent may act that was agreed to for a time.
  yield* sql`alter table agents add column ends_at timestamptz`
})
