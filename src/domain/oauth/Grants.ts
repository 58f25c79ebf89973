import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Scope } from "../access/Scope.ts"
import { Uuid } from "../Uuid.ts"
import type { Credentials } from "./Clients.ts"
import type { InvalidClient, InvalidGrant, InvalidScope, InvalidTarget } from "./Refusals.ts"

/** How long things are good for (decisions, section 7). */
export const CODE_SECONDS = 60
export const ACCESS_SECONDS = 60 * 60
export const REFRESH_DAYS = 90

/** Seconds in which a refresh token that was used answers the same again, as the answer to it may have been lost. */
export const GRACE_SECONDS = 30

export const GrantId = Uuid.pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

/** What a client works with from now on. */
export interface TokenSet {
  readonly accessToken: Redacted.Redacted
  /** Seconds that the access token is good for. */
  readonly expiresIn: number
  /** Good once, for 90 days. */
  readonly refreshToken: Redacted.Redacted
  /** What the installation, or the agent, may do. */
  readonly scopes: ReadonlyArray<Scope>
}

/** A code, and what proves that it was given to who presents it. */
export interface CodePresented {
  readonly code: Redacted.Redacted
  readonly redirectUri: string
  readonly verifier: Redacted.Redacted
  readonly resource: string | undefined
}

export interface RefreshPresented {
  readonly refreshToken: Redacted.Redacted
  /** All that the client says it needs: more than there is is refused, less is no less. */
  readonly scopes: ReadonlyArray<string> | undefined
  readonly resource: string | undefined
}

/** What merchants agreed to, and the tokens that clients have of it. */
export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Exchanges a code for tokens, once. One that is presented wrongly stays good; presented rightly for a second time, it
     * ends what was got for it.
     */
    readonly exchange: (
      client: Credentials,
      presented: CodePresented
    ) => Effect.Effect<TokenSet, InvalidClient | InvalidGrant | InvalidTarget>
    /**
     * Exchanges a refresh token for its successor and another access token. Presented again within 30 seconds it answers
     * the same; later it has been stolen, from the client or by it, and all that came of the grant ends.
     */
    readonly refresh: (
      client: Credentials,
      presented: RefreshPresented
    ) => Effect.Effect<TokenSet, InvalidClient | InvalidGrant | InvalidScope | InvalidTarget>
    /**
     * Ends a token (RFC 7009): of a refresh token all that came of the same grant, of an access token itself alone. From
     * the commit on they are refused, in every process. A token that is unknown, or has ended, is as good as revoked.
     */
    readonly revoke: (
      client: Credentials,
      token: Redacted.Redacted
    ) => Effect.Effect<void, InvalidClient | InvalidGrant>
    /** Deletes codes and tokens that have ended, and grants that nothing came of or is left of. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/oauth/Grants") {}
