import { Effect, type Redacted } from "effect"
import { Agents, type AgentTokens } from "../../domain/access/Agents.ts"
import { NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { type Counted, RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { type Agent, Principal } from "../Principal.ts"

/** Who makes calls, and how many of them their window took: the first ones. */
export interface Caller<Who = Principal> {
  readonly principal: Who
  readonly window: Counted
}

/** The tokens that a request brings. That of an agent counts alone where there is one: a cookie comes along unasked. */
export interface Tokens {
  readonly token: Redacted.Redacted | undefined
  readonly bearer: Redacted.Redacted | undefined
}

/** Whom the call at this place comes from, if their window took it. */
export const principalAt = <Who>(
  { principal, window }: Caller<Who>,
  place: number
): Effect.Effect<Who, RateLimitExceeded> =>
  place < window.admitted ? Effect.succeed(principal) : new RateLimitExceeded({ retryAfter: window.retryAfter })

/** How callers are known. Each counts the calls in the window of who makes them, all at once. */
export const makeIdentify = Effect.gen(function* () {
  const agents = yield* Agents
  const sessions = yield* Sessions

  /** By the token of a session, with what the merchant may do in these stores. */
  const merchant = (
    token: Redacted.Redacted,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<Caller, NotSignedIn> =>
    Effect.map(sessions.admit(token, stores, calls), ({ merchantId, roles, sessionId, ...window }) => ({
      principal: Principal.Merchant({ id: merchantId, sessionId, roles }),
      window
    }))

  /** By the token of an agent. */
  const agent = (
    token: Redacted.Redacted,
    calls: number,
    taken: AgentTokens
  ): Effect.Effect<Caller<Agent>, InvalidToken | StoreNotFound> =>
    Effect.map(agents.admit(token, calls, taken), ({ id, proposalsOnly, scopes, storeId, ...window }) => ({
      principal: Principal.Agent({ id, storeId, scopes, proposalsOnly }),
      window
    }))

  /** By whichever a request brings. */
  const caller = (
    { bearer, token }: Tokens,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<Caller, NotSignedIn | InvalidToken | StoreNotFound> => {
    if (bearer !== undefined) return agent(bearer, calls, "shown")
    return token === undefined ? new NotSignedIn() : merchant(token, stores, calls)
  }

  return { agent, caller }
})
