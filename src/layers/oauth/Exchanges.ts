import { ACCESS_SECONDS, REFRESH_DAYS } from "../../domain/oauth/Grants.ts"
import { statement } from "../database/Statement.ts"
import { CLIENT } from "./Clients.ts"

/*
 * What an exchange asks, in one statement: all checks are the condition of an update, so of many that come with the same
 * code or token one takes it. Where it took nothing, a second one says why. The first three values are the client's.
 */

/** What a grant `g` is for: an installation `i` or an agent `a`. */
const ITS_HOLDER = `
  left join installations i on i.store_id = g.store_id and i.id = g.installation_id
  left join agents a on a.store_id = g.store_id and a.id = g.agent_id
`
const SCOPES = "coalesce(i.scopes, a.scopes)"

/**
 * Makes tokens for the grant of what was `used`. Its row is held until the commit: who ends the grant waits, and then ends
 * these tokens too; where it has ended there are none.
 */
const GRANT = `
  granted as materialized (
    select g.store_id, g.id, g.installation_id, g.agent_id, ${SCOPES} as scopes
    from used join oauth_grants g on g.store_id = used.store_id and g.id = used.grant_id ${ITS_HOLDER}
    where g.revoked_at is null for share of g
  ), of_installation as (
    insert into access_tokens (token_hash, store_id, installation_id, grant_id, expires_at)
    select $8, store_id, installation_id, id, clock_timestamp() + interval '${ACCESS_SECONDS} seconds'
    from granted where installation_id is not null
  ), of_agent as (
    insert into agent_tokens (token_hash, store_id, agent_id, grant_id, expires_at)
    select $8, store_id, agent_id, id, clock_timestamp() + interval '${ACCESS_SECONDS} seconds'
    from granted where agent_id is not null
  ), successor as (
    insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
    select $9, store_id, id, clock_timestamp() + interval '${REFRESH_DAYS} days' from granted
  )
  select array_to_json(scopes) as scopes from granted
`

/** Whether the tokens are for what the client says that they are for, if it says so. */
const IS_TARGET = "($5::text is null or g.resource is not distinct from $5)"

/** Values: the client's, hash of the code, resource, redirect URI, challenge, hashes of the tokens to make. */
export const useCode = statement(`
  with ${CLIENT}, used as (
    update authorization_codes c set used_at = clock_timestamp() from oauth_grants g
    where c.code_hash = $4 and c.client_id = $1 and c.redirect_uri = $6 and c.challenge = $7
      and c.used_at is null and c.expires_at > clock_timestamp() and exists (select from client)
      and g.store_id = c.store_id and g.id = c.grant_id and g.revoked_at is null and ${IS_TARGET}
    returning c.store_id, c.grant_id
  ), ${GRANT}
`)

/** The first seven values of {@link useCode}. */
export const whyNoCode = statement(`
  with ${CLIENT}
  select
    exists (select from client) as "isAuthentic", c.store_id as "storeId", c.grant_id as "grantId",
    coalesce(c.client_id = $1, false) as "isOwn", coalesce(c.redirect_uri = $6, false) as "isReturned",
    coalesce(c.challenge = $7, false) as "isVerified", c.used_at is not null as "isUsed",
    coalesce(${IS_TARGET}, false) as "isTarget"
  from (select) one
  left join (
    authorization_codes c join oauth_grants g on g.store_id = c.store_id and g.id = c.grant_id
  ) on c.code_hash = $4
`)

/** Whether the client asks for no more than there is. */
const IS_WITHIN = `($6::text[] is null or $6 <@ ${SCOPES})`

/** Values: the client's, hash of the token, resource, scopes, nonce, hashes of the tokens to make. */
export const useRefreshToken = statement(`
  with ${CLIENT}, used as (
    update refresh_tokens r set used_at = clock_timestamp(), nonce = $7
    from oauth_grants g ${ITS_HOLDER}
    where r.token_hash = $4 and r.used_at is null and r.expires_at > clock_timestamp() and exists (select from client)
      and g.store_id = r.store_id and g.id = r.grant_id and g.client_id = $1 and g.revoked_at is null
      and (a.ends_at is null or a.ends_at > clock_timestamp()) and ${IS_TARGET} and ${IS_WITHIN}
    returning r.store_id, r.grant_id
  ), ${GRANT}
`)

/** The first six values of {@link useRefreshToken}. */
export const whyNoRefresh = statement(`
  with ${CLIENT}
  select
    exists (select from client) as "isAuthentic", r.store_id as "storeId", r.grant_id as "grantId",
    coalesce(g.client_id = $1, false) as "isOwn", g.revoked_at is not null as "isRevoked",
    extract(epoch from clock_timestamp() - r.used_at)::float8 as age, r.nonce, array_to_json(${SCOPES}) as scopes,
    coalesce(${IS_TARGET}, false) as "isTarget", coalesce(${IS_WITHIN}, false) as "isWithin"
  from (select) one
  left join (
    refresh_tokens r join oauth_grants g on g.store_id = r.store_id and g.id = r.grant_id ${ITS_HOLDER}
  ) on r.token_hash = $4
`)
