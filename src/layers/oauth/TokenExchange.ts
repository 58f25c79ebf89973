import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../../domain/access/Scope.ts"
import { storedList } from "../../domain/json/StoredList.ts"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import { ACCESS_SECONDS, GrantId, REFRESH_DAYS } from "../../domain/oauth/Grants.ts"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant, type Fragment } from "../sql/Statement.ts"
import { authenticatedClient } from "./Clients.ts"

/** Presented authorization code. */
export interface PresentedCode {
  readonly hash: Buffer
  readonly resource: string | null
  readonly redirectUri: string
  readonly challenge: string
}

/** Presented refresh token, with the scopes that the client requests. */
export interface PresentedRefreshToken {
  readonly hash: Buffer
  readonly resource: string | null
  readonly scopes: string | null
}

/** Hashes of the tokens to issue. */
interface TokenHashes {
  readonly accessHash: Buffer
  readonly refreshHash: Buffer
}

const Scopes = storedList(Scope)

const readGranted = rowReader(Schema.Struct({ scopes: Scopes }))

/** Presented code or token. Its grant is null if it is unknown. */
const Presented = Schema.Struct({
  isAuthentic: Schema.Boolean,
  isOwn: Schema.Boolean,
  storeId: Schema.NullOr(Schema.toType(StoreId)),
  grantId: Schema.NullOr(Schema.toType(GrantId))
})
export type Presented = typeof Presented.Type

const readPresented = requiredRowReader(Presented)

const readRejectedCode = requiredRowReader(
  Schema.Struct({
    ...Presented.fields,
    isReturned: Schema.Boolean,
    isVerified: Schema.Boolean,
    isUsed: Schema.Boolean,
    isTarget: Schema.Boolean
  })
)

const readRejectedRefreshToken = requiredRowReader(
  Schema.Struct({
    ...Presented.fields,
    isRevoked: Schema.Boolean,
    /** Seconds since its use. */
    age: Schema.NullOr(Schema.Number),
    /** Nonce from which its successors were derived. */
    nonce: Schema.NullOr(Schema.Uint8Array),
    scopes: Schema.NullOr(Scopes),
    isTarget: Schema.Boolean,
    isWithin: Schema.Boolean
  })
)

/**
 * Queries of token exchanges. All checks are conditions of an update, so that one of many exchanges of a code or refresh
 * token succeeds. If it updated no row, a second statement finds the reason.
 *
 * Conditions on `expires_at` use `clock_timestamp()`: with a stable clock, PostgreSQL may prefer the index on `expires_at` to
 * the hash of the token while a table is small, and keep that plan.
 */
export class TokenExchange extends Context.Service<TokenExchange>()("layers/oauth/TokenExchange", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Issues tokens for the grant of the `used` code or refresh token. The grant is locked until the commit: a revocation
     * waits and then revokes these tokens, too. A revoked grant gets none.
     */
    const issueTokens = ({ accessHash, refreshHash }: TokenHashes): Fragment => sql`
      granted as materialized (
        select g.store_id, g.id, g.installation_id, g.agent_id, coalesce(i.scopes, a.scopes) as scopes
        from used join oauth_grants g on g.store_id = used.store_id and g.id = used.grant_id
        left join installations i on i.store_id = g.store_id and i.id = g.installation_id
        left join agents a on a.store_id = g.store_id and a.id = g.agent_id
        where g.revoked_at is null for share of g
      ), of_installation as (
        insert into access_tokens (token_hash, store_id, installation_id, grant_id, expires_at)
        select ${accessHash}, store_id, installation_id, id,
          statement_timestamp() + interval '${constant(ACCESS_SECONDS)} seconds'
        from granted where installation_id is not null
      ), of_agent as (
        insert into agent_tokens (token_hash, store_id, agent_id, grant_id, expires_at)
        select ${accessHash}, store_id, agent_id, id,
          statement_timestamp() + interval '${constant(ACCESS_SECONDS)} seconds'
        from granted where agent_id is not null
      ), successor as (
        insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
        select ${refreshHash}, store_id, id, statement_timestamp() + interval '${constant(REFRESH_DAYS)} days' from granted
      )
      select array_to_json(scopes) as scopes from granted
    `

    return {
      redeemCode: Effect.fn("TokenExchange.redeemCode")(function* (
        client: Credentials,
        code: PresentedCode,
        tokens: TokenHashes
      ) {
        return yield* readGranted(sql`
          with ${authenticatedClient(client)}, used as (
            update authorization_codes c set used_at = statement_timestamp() from oauth_grants g
            where c.code_hash = ${code.hash} and c.client_id = ${client.clientId} and c.redirect_uri = ${code.redirectUri}
              and c.challenge = ${code.challenge} and c.used_at is null and c.expires_at > clock_timestamp()
              and exists (select from client)
              and g.store_id = c.store_id and g.id = c.grant_id and g.revoked_at is null
              and (${code.resource}::text is null or g.resource is not distinct from ${code.resource})
            returning c.store_id, c.grant_id
          ), ${issueTokens(tokens)}
        `)
      }, orDefect),

      explainRejectedCode: Effect.fn("TokenExchange.explainRejectedCode")(function* (
        client: Credentials,
        code: PresentedCode
      ) {
        return yield* readRejectedCode(sql`
          with ${authenticatedClient(client)}
          select
            exists (select from client) as "isAuthentic", c.store_id as "storeId", c.grant_id as "grantId",
            coalesce(c.client_id = ${client.clientId}, false) as "isOwn",
            coalesce(c.redirect_uri = ${code.redirectUri}, false) as "isReturned",
            coalesce(c.challenge = ${code.challenge}, false) as "isVerified", c.used_at is not null as "isUsed",
            coalesce(${code.resource}::text is null or g.resource is not distinct from ${code.resource}, false) as "isTarget"
          from (select) one
          left join (
            authorization_codes c join oauth_grants g on g.store_id = c.store_id and g.id = c.grant_id
          ) on c.code_hash = ${code.hash}
        `)
      }, orDefect),

      redeemRefreshToken: Effect.fn("TokenExchange.redeemRefreshToken")(function* (
        client: Credentials,
        token: PresentedRefreshToken,
        nonce: Buffer,
        tokens: TokenHashes
      ) {
        return yield* readGranted(sql`
          with ${authenticatedClient(client)}, used as (
            update refresh_tokens r set used_at = statement_timestamp(), nonce = ${nonce}
            from oauth_grants g
            left join installations i on i.store_id = g.store_id and i.id = g.installation_id
            left join agents a on a.store_id = g.store_id and a.id = g.agent_id
            where r.token_hash = ${token.hash} and r.used_at is null and r.expires_at > clock_timestamp()
              and exists (select from client)
              and g.store_id = r.store_id and g.id = r.grant_id and g.client_id = ${client.clientId} and g.revoked_at is null
              and (a.ends_at is null or a.ends_at > clock_timestamp())
              and (${token.resource}::text is null or g.resource is not distinct from ${token.resource})
              and (${token.scopes}::text[] is null or ${token.scopes} <@ coalesce(i.scopes, a.scopes))
            returning r.store_id, r.grant_id
          ), ${issueTokens(tokens)}
        `)
      }, orDefect),

      explainRejectedRefreshToken: Effect.fn("TokenExchange.explainRejectedRefreshToken")(function* (
        client: Credentials,
        token: PresentedRefreshToken
      ) {
        return yield* readRejectedRefreshToken(sql`
          with ${authenticatedClient(client)}
          select
            exists (select from client) as "isAuthentic", r.store_id as "storeId", r.grant_id as "grantId",
            coalesce(g.client_id = ${client.clientId}, false) as "isOwn", g.revoked_at is not null as "isRevoked",
            extract(epoch from clock_timestamp() - r.used_at)::float8 as age, r.nonce,
            array_to_json(coalesce(i.scopes, a.scopes)) as scopes,
            coalesce(${token.resource}::text is null or g.resource is not distinct from ${token.resource}, false)
              as "isTarget",
            coalesce(${token.scopes}::text[] is null or ${token.scopes} <@ coalesce(i.scopes, a.scopes), false) as "isWithin"
          from (select) one
          left join (
            refresh_tokens r join oauth_grants g on g.store_id = r.store_id and g.id = r.grant_id
            left join installations i on i.store_id = g.store_id and i.id = g.installation_id
            left join agents a on a.store_id = g.store_id and a.id = g.agent_id
          ) on r.token_hash = ${token.hash}
        `)
      }, orDefect),

      /** Finds the owner of a token. A refresh token has a grant, which is revoked with it. */
      findPresentedToken: Effect.fn("TokenExchange.findPresentedToken")(function* (
        client: Credentials,
        tokenHash: Buffer
      ) {
        return yield* readPresented(sql`
          with ${authenticatedClient(client)}, token as (
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
        `)
      }, orDefect),

      /** Deletes an access token of an installation or agent. */
      deleteAccessToken: Effect.fn("TokenExchange.deleteAccessToken")(function* (tokenHash: Buffer) {
        yield* sql`
          with of_installation as (delete from access_tokens where token_hash = ${tokenHash})
          delete from agent_tokens where token_hash = ${tokenHash}
        `
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
