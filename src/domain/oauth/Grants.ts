import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Scope } from "../access/Scope.ts"
import { Uuid } from "../Uuid.ts"
import type { Credentials } from "./Clients.ts"
import type { InvalidClient, InvalidGrant, InvalidScope, InvalidTarget } from "./Refusals.ts"

/** Lifetimes of authorization codes, access tokens and refresh tokens (docs/oauth.md). */
export const CODE_SECONDS = 60
export const ACCESS_SECONDS = 60 * 60
export const REFRESH_DAYS = 90

/** Seconds for which a used refresh token returns the same response again, in case the client did not receive it. */
export const GRACE_SECONDS = 30

export const GrantId = Uuid.pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

/** Tokens of a client. */
export interface TokenSet {
  readonly accessToken: Redacted.Redacted
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number
  /** Valid once, for {@link REFRESH_DAYS} days. */
  readonly refreshToken: Redacted.Redacted
  /** Scopes of the installation or agent. */
  readonly scopes: ReadonlyArray<Scope>
}

/** Authorization code with its proof of possession. */
export interface CodeExchange {
  readonly code: Redacted.Redacted
  readonly redirectUri: string
  readonly verifier: Redacted.Redacted
  readonly resource: string | undefined
}

export interface RefreshExchange {
  readonly refreshToken: Redacted.Redacted
  /** Scopes that the client requests. More than granted is rejected; fewer have no effect. */
  readonly scopes: ReadonlyArray<Scope> | undefined
  readonly resource: string | undefined
}

/** Approvals of merchants and the tokens issued for them. */
export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Exchanges a code for tokens, once. A code with wrong parameters stays valid. A second valid use revokes the
     * tokens of the first (RFC 6749, section 4.1.2).
     */
    readonly exchange: (
      client: Credentials,
      presented: CodeExchange
    ) => Effect.Effect<TokenSet, InvalidClient | InvalidGrant | InvalidTarget>
    /**
     * Exchanges a refresh token for a new refresh and access token. A second use within {@link GRACE_SECONDS} seconds
     * returns the same tokens. A later one indicates theft and revokes the grant.
     */
    readonly refresh: (
      client: Credentials,
      presented: RefreshExchange
    ) => Effect.Effect<TokenSet, InvalidClient | InvalidGrant | InvalidScope | InvalidTarget>
    /**
     * Revokes a token (RFC 7009): a refresh token with its whole grant, an access token alone. After the commit, all
     * processes reject them. Unknown and expired tokens count as revoked.
     */
    readonly revoke: (
      client: Credentials,
      token: Redacted.Redacted
    ) => Effect.Effect<void, InvalidClient | InvalidGrant>
    /** Deletes expired codes and tokens, and grants without any. Returns their number. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/oauth/Grants") {}
