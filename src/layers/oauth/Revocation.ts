import { Effect, Option, Schema } from "effect"
import type { InstallationId } from "../../domain/access/Installations.ts"
import type { AgentId } from "../../domain/Actor.ts"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import type { GrantId } from "../../domain/oauth/Grants.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { authenticated } from "./Clients.ts"
import { column } from "../sql/Column.ts"

/*
 * How grants end. Who exchanges holds the grant's row until what it made is committed (Grants.ts): once the row is written
 * here, all that came of the grant can be seen, by the next statement, and nothing more comes.
 */

const endOne = (store: StoreId, grant: GrantId) => sql`
  update oauth_grants set revoked_at = clock_timestamp()
  where store_id = ${store} and id = ${grant} and revoked_at is null
`
const deleteOfGrant = (store: StoreId, grant: GrantId) => sql`
  with granted as materialized (
    select installation_id, agent_id from oauth_grants where store_id = ${store} and id = ${grant}
  ), installed as (
    delete from access_tokens t using granted g
    where t.store_id = ${store} and t.installation_id = g.installation_id and t.grant_id = ${grant}
  )
  delete from agent_tokens t using granted g
  where t.store_id = ${store} and t.agent_id = g.agent_id and t.grant_id = ${grant}
`

const revokeAgentOf = (store: StoreId, grant: GrantId) => sql`
  update agents a set revoked_at = clock_timestamp() from oauth_grants g
  where g.store_id = ${store} and g.id = ${grant} and a.store_id = ${store} and a.id = g.agent_id
    and a.revoked_at is null
`

/** From the commit on, all that came of the grant is refused. An agent has one, so it is revoked. */
export const revokeGrant = (store: StoreId, grant: GrantId): Write<void, never> =>
  Effect.gen(function* () {
    yield* countOf(endOne(store, grant))
    yield* countOf(deleteOfGrant(store, grant))
    yield* countOf(revokeAgentOf(store, grant))
  })

const endOfAgent = (store: StoreId, agent: AgentId) => sql`
  update oauth_grants set revoked_at = clock_timestamp()
  where store_id = ${store} and agent_id = ${agent} and revoked_at is null
`
const deleteOfAgent = (store: StoreId, agent: AgentId) =>
  sql`delete from agent_tokens where store_id = ${store} and agent_id = ${agent}`

/** From the commit on, nothing comes any more of what a merchant agreed to for the agent. Its row is taken after this. */
export const revokeGrantsOfAgent = Effect.fnUntraced(function* (store: StoreId, agent: AgentId): Step<void> {
  yield* countOf(endOfAgent(store, agent))
  yield* countOf(deleteOfAgent(store, agent))
})

const endOfInstallation = (store: StoreId, installation: InstallationId) => sql`
  update oauth_grants set revoked_at = clock_timestamp()
  where store_id = ${store} and installation_id = ${installation} and revoked_at is null
`
const deleteOfInstallation = (store: StoreId, installation: InstallationId) => sql`
  with ended as (
    delete from access_tokens where store_id = ${store} and installation_id = ${installation}
    returning expires_at > clock_timestamp() as good
  )
  select count(*) filter (where good)::integer as good from ended
`
const goodOf = firstOf(column("good", Schema.Int))

/** From the commit on, every token of the installation is refused. Answers how many access tokens were still good. */
export const revokeTokensOfInstallation = (store: StoreId, installation: InstallationId): Write<number, never> =>
  Effect.gen(function* () {
    yield* countOf(endOfInstallation(store, installation))
    return Option.getOrThrow(yield* goodOf(deleteOfInstallation(store, installation)))
  })

/** The owner of a token: of a refresh token its grant, which ends with it. */
export const selectToken = (client: Credentials, tokenHash: Buffer) => sql`
  with ${authenticated(client)}, token as (
    select g.client_id, g.store_id, g.id as grant_id
    from refresh_tokens r join oauth_grants g on g.store_id = r.store_id and g.id = r.grant_id
    where r.token_hash = ${tokenHash}
    union all
    select i.app_id::text, i.store_id, null
    from access_tokens t join installations i on i.store_id = t.store_id and i.id = t.installation_id
    where t.token_hash = ${tokenHash}
    union all
    select g.client_id, g.store_id, null
    from agent_tokens t join oauth_grants g on g.store_id = t.store_id and g.id = t.grant_id
    where t.token_hash = ${tokenHash}
  )
  select
    exists (select from client) as "isAuthentic", coalesce(client_id = ${client.clientId}, false) as "isOwn",
    store_id as "storeId", grant_id as "grantId"
  from (select) one left join token on true
`

/** Ends an access token alone. */
export const deleteToken = (tokenHash: Buffer) => sql`
  with installed as (delete from access_tokens where token_hash = ${tokenHash})
  delete from agent_tokens where token_hash = ${tokenHash}
`
