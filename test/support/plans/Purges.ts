import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { Proposals } from "../../../src/domain/access/Proposals.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Idempotency } from "../../../src/domain/Idempotency.ts"
import { AgentClients } from "../../../src/domain/oauth/AgentClients.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { costSoFar } from "./Cost.ts"

/** Tables by the service that purges them. */
const PURGED = {
  records: Idempotency,
  tokens: Tokens,
  grants: Grants,
  clients: AgentClients,
  sessions: Sessions,
  proposals: Proposals,
  agents: Agents,
  deliveries: Webhooks,
  // Purges events without deliveries.
  events: Webhooks,
  entries: AppData
}

/** SQL that makes a hundred rows expire of each kind that `outdate` leaves out. */
const outdating = `
  insert into agent_tokens (token_hash, store_id, agent_id, grant_id, expires_at)
  select sha256(gen_random_uuid()::text::bytea), store_id, id, id, now() - interval '1 second' from agents limit 100;
  insert into agent_clients (client_id, name, redirect_uris, ends_at)
  select gen_random_uuid(), 'A client', '{}', now() - interval '1 second' from generate_series(1, 100);
  insert into sessions (token_hash, id, merchant_id, address, created_at, seen_at, ends_at, last_end)
  select sha256(gen_random_uuid()::text::bytea), gen_random_uuid(), id, '', now(), now(), now() - interval '1 second', now()
  from (select id from merchants limit 1) m, generate_series(1, 100);
  insert into sign_in_attempts (subject, attempts, ends_at)
  select sha256(gen_random_uuid()::text::bytea), '{}', now() - interval '1 second' from generate_series(1, 100);
  insert into proposals (store_id, id, agent_id, procedure, payload, ground, status, created_at, expires_at)
  select store_id, gen_random_uuid(), id, 'products.create', '{}', '[]', 'approved', now(), now() - interval '100 days'
  from agents limit 100;
  with copied as materialized (select * from agents limit 1)
  insert into agents (store_id, id, name, scopes, budget, requests, proposals_only, created_by, revoked_at)
  select store_id, gen_random_uuid(), name, scopes, budget, requests, proposals_only, created_by, now() - interval '500 days'
  from copied, generate_series(1, 100);
  with created as (
    insert into app_data (store_id, installation_id, namespace, key, value, bytes, created_at, updated_at, expires_at)
    select store_id, id, 'ended', gen_random_uuid(), '1', 1, now(), now(), now() - interval '1 second'
    from installations limit 100
    returning store_id, installation_id
  )
  update app_data_usage u set entries = entries + 1, bytes = u.bytes + 1 from created
  where u.store_id = created.store_id and u.installation_id = created.installation_id
`

/** Runs each purge once on expired rows and returns the costs. */
export const purges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const text of outdating.split(";\n")) yield* sql.unsafe(text)
  const costs = new Map<string, number>()
  for (const [name, service] of Object.entries(PURGED)) {
    const { purge } = yield* service
    const before = yield* costSoFar
    yield* purge
    costs.set(`a purge of ${name}`, (yield* costSoFar) - before)
  }
  return costs
})
