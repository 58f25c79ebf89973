import { Effect, Option, Schema } from "effect"
import type { InstallationId } from "../../domain/access/Installations.ts"
import type { AgentId } from "../../domain/Actor.ts"
import type { GrantId } from "../../domain/oauth/Grants.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { countOf, firstOf, type Step } from "../database/Plan.ts"
import { statement } from "../database/Statement.ts"
import { CLIENT } from "./Clients.ts"
import { column } from "../database/Column.ts"

/*
 * How grants end. Who exchanges holds the grant's row until what it made is committed (Grants.ts): once the row is written
 * here, all that came of the grant can be seen, by the next statement, and nothing more comes.
 */

const endOne = statement(`
  update oauth_grants set revoked_at = clock_timestamp() where store_id = $1 and id = $2 and revoked_at is null
`)
const deleteOfGrant = statement(`
  with granted as materialized (
    select installation_id, agent_id from oauth_grants where store_id = $1 and id = $2
  ), installed as (
    delete from access_tokens t using granted g
    where t.store_id = $1 and t.installation_id = g.installation_id and t.grant_id = $2
  )
  delete from agent_tokens t using granted g where t.store_id = $1 and t.agent_id = g.agent_id and t.grant_id = $2
`)

const revokeAgentOf = statement(`
  update agents a set revoked_at = clock_timestamp() from oauth_grants g
  where g.store_id = $1 and g.id = $2 and a.store_id = $1 and a.id = g.agent_id and a.revoked_at is null
`)

/** From the commit on, all that came of the grant is refused. An agent has one, so it is revoked. */
export const endGrant = (store: StoreId, grant: GrantId): Write<void, never> =>
  Effect.gen(function* () {
    yield* countOf(endOne(store, grant))
    yield* countOf(deleteOfGrant(store, grant))
    yield* countOf(revokeAgentOf(store, grant))
  })

const endOfAgent = statement(`
  update oauth_grants set revoked_at = clock_timestamp() where store_id = $1 and agent_id = $2 and revoked_at is null
`)
const deleteOfAgent = statement("delete from agent_tokens where store_id = $1 and agent_id = $2")

/** From the commit on, nothing comes any more of what a merchant agreed to for the agent. Its row is taken after this. */
export const endGrantsOf = Effect.fnUntraced(function* (store: StoreId, agent: AgentId): Step<void> {
  yield* countOf(endOfAgent(store, agent))
  yield* countOf(deleteOfAgent(store, agent))
})

const endOfInstallation = statement(`
  update oauth_grants set revoked_at = clock_timestamp()
  where store_id = $1 and installation_id = $2 and revoked_at is null
`)
const deleteOfInstallation = statement(`
  with ended as (
    delete from access_tokens where store_id = $1 and installation_id = $2
    returning expires_at > clock_timestamp() as good
  )
  select count(*) filter (where good)::integer as good from ended
`)
const goodOf = firstOf(column("good", Schema.Int))

/** From the commit on, every token of the installation is refused. Answers how many access tokens were still good. */
export const endInstallation = (store: StoreId, installation: InstallationId): Write<number, never> =>
  Effect.gen(function* () {
    yield* countOf(endOfInstallation(store, installation))
    return Option.getOrThrow(yield* goodOf(deleteOfInstallation(store, installation)))
  })

/** Whose token it is, after the values of the client: of a refresh token its grant, which ends with it. */
export const selectToken = statement(`
  with ${CLIENT}, token as (
    select g.client_id, g.store_id, g.id as grant_id
    from refresh_tokens r join oauth_grants g on g.store_id = r.store_id and g.id = r.grant_id where r.token_hash = $4
    union all
    select i.app_id::text, i.store_id, null
    from access_tokens t join installations i on i.store_id = t.store_id and i.id = t.installation_id
    where t.token_hash = $4
    union all
    select g.client_id, g.store_id, null
    from agent_tokens t join oauth_grants g on g.store_id = t.store_id and g.id = t.grant_id where t.token_hash = $4
  )
  select
    exists (select from client) as "isAuthentic", coalesce(client_id = $1, false) as "isOwn",
    store_id as "storeId", grant_id as "grantId"
  from (select) one left join token on true
`)

/** Ends an access token alone. */
export const deleteToken = statement(`
  with installed as (delete from access_tokens where token_hash = $1) delete from agent_tokens where token_hash = $1
`)
