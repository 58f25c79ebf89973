import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { identifyByRow } from "./identities.ts"
import { createOrderedRead } from "./orderedReads.ts"

/** Creates agents, OAuth grants and proposals of agents. */
export const createAgents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Agents of stores.
  // token_hash: null for an agent with an OAuth grant. writes: number of writes on the day written_on (UTC), which
  // budget limits. requests: limit of requests in any 60 seconds. ends_at: end of a temporary agent.
  yield* sql`
    create table agents (
      store_id uuid not null references stores (id),
      id uuid not null,
      token_hash bytea,
      name text not null,
      scopes text[] not null,
      budget integer not null,
      requests integer not null,
      proposals_only boolean not null,
      writes integer not null default 0,
      written_on date not null default '-infinity',
      created_by uuid not null references merchants (id),
      created_at timestamptz not null default clock_timestamp(),
      revoked_at timestamptz,
      ends_at timestamptz,
      primary key (store_id, id)
    ) with (fillfactor = 50)
  `
  // Authenticates an agent.
  yield* sql`create index agents_by_token on agents (token_hash)`
  // Finds revoked and expired agents for the purge.
  yield* sql`
    create index agents_in_order on agents ((coalesce(revoked_at, ends_at)))
    where coalesce(revoked_at, ends_at) is not null
  `

  // Rolling windows of the requests of agents. A separate table, because a write locks the row of its agent until it
  // commits.
  yield* sql`
    create table agent_windows (
      store_id uuid not null,
      agent_id uuid not null,
      hits bigint[] not null default '{}',
      primary key (store_id, agent_id),
      foreign key (store_id, agent_id) references agents on delete cascade
    ) with (fillfactor = 50)
  `

  // OAuth clients of agents. A client is registered dynamically, or its id is the URL of a document that describes it.
  // fresh_until: time at which the document must be fetched again; null for a registered client.
  yield* sql`
    create table agent_clients (
      client_id text primary key,
      name text not null,
      website text,
      logo_url text,
      redirect_uris text[] not null,
      created_at timestamptz not null default clock_timestamp(),
      consented_at timestamptz,
      fresh_until timestamptz,
      ends_at timestamptz
    )
  `
  // Finds expired rows for the purge.
  yield* sql`create index agent_clients_by_end on agent_clients (ends_at)`

  // Consents of members of stores, each to one installation or one agent.
  // resource: audience of the tokens, if the client requested one (RFC 8707).
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
  // Find the grants to revoke with an installation or agent.
  yield* sql`create index oauth_grants_by_installation on oauth_grants (store_id, installation_id)`
  yield* sql`create index oauth_grants_by_agent on oauth_grants (store_id, agent_id)`

  // Hashes of authorization codes. Codes and refresh tokens are vacuumed often, for the same reason as access_tokens.
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
  // Serves the foreign key.
  yield* sql`create index authorization_codes_by_grant on authorization_codes (store_id, grant_id)`
  // Finds expired rows for the purge.
  yield* sql`create index authorization_codes_by_end on authorization_codes (expires_at)`
  yield* identifyByRow("authorization_codes")

  // Hashes of refresh tokens.
  // nonce: with the token it derives the next tokens, so that a repeated exchange returns the same ones.
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
  // Serves the foreign key.
  yield* sql`create index refresh_tokens_by_grant on refresh_tokens (store_id, grant_id)`
  // Finds expired rows for the purge.
  yield* sql`create index refresh_tokens_by_end on refresh_tokens (expires_at)`
  yield* identifyByRow("refresh_tokens")

  // Hashes of the access tokens of agents with a grant. grant_id is no foreign key, because a token may outlive its
  // grant.
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
  // Serves the foreign key.
  yield* sql`create index agent_tokens_by_agent on agent_tokens (store_id, agent_id)`
  // Finds expired rows for the purge.
  yield* sql`create index agent_tokens_by_end on agent_tokens (expires_at)`
  yield* identifyByRow("agent_tokens")

  // Writes of agents that wait for the approval of a member.
  // based_on: versions of the resources at the time of the proposal. status: stays `pending` when the proposal expires.
  // edited: payload that the member approved in place of the proposed one. response: of an approved call that changes no
  // resource of the journal, such as the file of a picture.
  yield* sql`
    create table proposals (
      store_id uuid not null,
      id uuid not null,
      agent_id uuid not null,
      procedure text not null,
      payload json not null,
      edited json,
      based_on json not null,
      status text not null default 'pending',
      reason text,
      decided_by uuid references merchants (id),
      decided_at timestamptz,
      result json not null default '[]',
      response json,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (store_id, id),
      foreign key (store_id, agent_id) references agents
    )
  `
  // Counts and lists the pending proposals of an agent.
  yield* sql`create index proposals_pending on proposals (store_id, agent_id, id) where status = 'pending'`
  // Finds expired rows for the purge.
  yield* sql`create index proposals_by_end on proposals (expires_at)`
  yield* createOrderedRead({
    name: "proposals_after",
    parameters: "store uuid, last uuid, of_agent uuid, most integer",
    table: "proposals",
    where: `t.store_id = store and t.id > last and (of_agent is null or t.agent_id = of_agent) order by t.id`
  })
  yield* createOrderedRead({
    name: "settled_proposals_before",
    parameters: "store uuid, until uuid, of_agent uuid, most integer",
    table: "proposals",
    where: `t.store_id = store and t.id < until and (of_agent is null or t.agent_id = of_agent)
      and not (t.status = 'pending' and t.expires_at > clock_timestamp()) order by t.id desc`
  })
})
