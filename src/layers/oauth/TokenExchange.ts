import { ACCESS_SECONDS, REFRESH_DAYS } from "../../domain/oauth/Grants.ts"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import { constant, type Fragment, sql } from "../sql/Statement.ts"
import { authenticated } from "./Clients.ts"

/*
 * What an exchange asks, in one statement: all checks are the condition of an update, so of many that come with the same
 * code or token one takes it. Where it took nothing, a second one says why.
 */

/** A code as it was presented. */
export interface Code {
  readonly hash: Buffer
  readonly resource: string | null
  readonly redirectUri: string
  readonly challenge: string
}

/** A refresh token as it was presented, with the scopes that the client needs. */
export interface RefreshToken {
  readonly hash: Buffer
  readonly resource: string | null
  readonly scopes: string | null
}

/** Hashes of the tokens to make. */
interface Tokens {
  readonly accessHash: Buffer
  readonly refreshHash: Buffer
}

/** What a grant `g` is for: an installation `i` or an agent `a`. */
const ITS_HOLDER = sql`
  left join installations i on i.store_id = g.store_id and i.id = g.installation_id
  left join agents a on a.store_id = g.store_id and a.id = g.agent_id
`
const SCOPES = sql`coalesce(i.scopes, a.scopes)`

/**
 * Makes tokens for the grant of what was `used`. Its row is held until the commit: who ends the grant waits, and then ends
 * these tokens too; where it has ended there are none.
 */
const tokensFor = ({ accessHash, refreshHash }: Tokens): Fragment => sql`
  granted as materialized (
    select g.store_id, g.id, g.installation_id, g.agent_id, ${SCOPES} as scopes
    from used join oauth_grants g on g.store_id = used.store_id and g.id = used.grant_id ${ITS_HOLDER}
    where g.revoked_at is null for share of g
  ), of_installation as (
    insert into access_tokens (token_hash, store_id, installation_id, grant_id, expires_at)
    select ${accessHash}, store_id, installation_id, id,
      clock_timestamp() + interval '${constant(ACCESS_SECONDS)} seconds'
    from granted where installation_id is not null
  ), of_agent as (
    insert into agent_tokens (token_hash, store_id, agent_id, grant_id, expires_at)
    select ${accessHash}, store_id, agent_id, id, clock_timestamp() + interval '${constant(ACCESS_SECONDS)} seconds'
    from granted where agent_id is not null
  ), successor as (
    insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
    select ${refreshHash}, store_id, id, clock_timestamp() + interval '${constant(REFRESH_DAYS)} days' from granted
  )
  select array_to_json(scopes) as scopes from granted
`

/** Whether the tokens are for what the client says that they are for, if it says so. */
const isTarget = (resource: string | null): Fragment =>
  sql`(${resource}::text is null or g.resource is not distinct from ${resource})`

export const redeemCode = (client: Credentials, code: Code, tokens: Tokens) => sql`
  with ${authenticated(client)}, used as (
    update authorization_codes c set used_at = clock_timestamp() from oauth_grants g
    where c.code_hash = ${code.hash} and c.client_id = ${client.clientId} and c.redirect_uri = ${code.redirectUri}
      and c.challenge = ${code.challenge} and c.used_at is null and c.expires_at > clock_timestamp()
      and exists (select from client)
      and g.store_id = c.store_id and g.id = c.grant_id and g.revoked_at is null and ${isTarget(code.resource)}
    returning c.store_id, c.grant_id
  ), ${tokensFor(tokens)}
`

/** The reason why {@link redeemCode} took nothing. */
export const explainRejectedCode = (client: Credentials, code: Code) => sql`
  with ${authenticated(client)}
  select
    exists (select from client) as "isAuthentic", c.store_id as "storeId", c.grant_id as "grantId",
    coalesce(c.client_id = ${client.clientId}, false) as "isOwn",
    coalesce(c.redirect_uri = ${code.redirectUri}, false) as "isReturned",
    coalesce(c.challenge = ${code.challenge}, false) as "isVerified", c.used_at is not null as "isUsed",
    coalesce(${isTarget(code.resource)}, false) as "isTarget"
  from (select) one
  left join (
    authorization_codes c join oauth_grants g on g.store_id = c.store_id and g.id = c.grant_id
  ) on c.code_hash = ${code.hash}
`

/** Whether the client asks for no more than there is. */
const isWithin = (scopes: string | null): Fragment => sql`(${scopes}::text[] is null or ${scopes} <@ ${SCOPES})`

export const redeemRefreshToken = (client: Credentials, token: RefreshToken, nonce: Buffer, tokens: Tokens) => sql`
  with ${authenticated(client)}, used as (
    update refresh_tokens r set used_at = clock_timestamp(), nonce = ${nonce}
    from oauth_grants g ${ITS_HOLDER}
    where r.token_hash = ${token.hash} and r.used_at is null and r.expires_at > clock_timestamp()
      and exists (select from client)
      and g.store_id = r.store_id and g.id = r.grant_id and g.client_id = ${client.clientId} and g.revoked_at is null
      and (a.ends_at is null or a.ends_at > clock_timestamp()) and ${isTarget(token.resource)}
      and ${isWithin(token.scopes)}
    returning r.store_id, r.grant_id
  ), ${tokensFor(tokens)}
`

/** The reason why {@link redeemRefreshToken} took nothing. */
export const explainRejectedRefreshToken = (client: Credentials, token: RefreshToken) => sql`
  with ${authenticated(client)}
  select
    exists (select from client) as "isAuthentic", r.store_id as "storeId", r.grant_id as "grantId",
    coalesce(g.client_id = ${client.clientId}, false) as "isOwn", g.revoked_at is not null as "isRevoked",
    extract(epoch from clock_timestamp() - r.used_at)::float8 as age, r.nonce, array_to_json(${SCOPES}) as scopes,
    coalesce(${isTarget(token.resource)}, false) as "isTarget", coalesce(${isWithin(token.scopes)}, false) as "isWithin"
  from (select) one
  left join (
    refresh_tokens r join oauth_grants g on g.store_id = r.store_id and g.id = r.grant_id ${ITS_HOLDER}
  ) on r.token_hash = ${token.hash}
`
