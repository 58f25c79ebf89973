import { Effect, Layer, Option, type Redacted } from "effect"
import { Agents, type AgentTokens } from "../../domain/access/Agents.ts"
import { NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { type WindowResult, RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { Authentication } from "../Authentication.ts"
import { type Agent, CurrentPrincipal, Principal } from "../Principal.ts"
import { maskDefects } from "./ErrorMasking.ts"

/** The sender of calls, and how many of them their window admitted: the first ones. */
export interface AdmittedCaller<Who = Principal> {
  readonly principal: Who
  readonly window: WindowResult
}

/** The tokens of a request. The token of an agent wins: browsers send cookies unasked. */
export interface Tokens {
  readonly token: Redacted.Redacted | undefined
  readonly bearer: Redacted.Redacted | undefined
}

/** The principal of the call at this place, if the window admitted it. */
export const admittedPrincipal = <Who>(
  { principal, window }: AdmittedCaller<Who>,
  place: number
): Effect.Effect<Who, RateLimitExceeded> =>
  place < window.admitted ? Effect.succeed(principal) : new RateLimitExceeded({ retryAfter: window.retryAfter })

/** Identifies callers by their tokens, and counts all of their calls in their window at once. */
export const makeAuthenticator = Effect.gen(function* () {
  const agents = yield* Agents
  const sessions = yield* Sessions

  /** A merchant by the token of a session, with their roles in these stores. */
  const merchant = (
    token: Redacted.Redacted,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<AdmittedCaller, NotSignedIn> =>
    Effect.map(sessions.admit(token, stores, calls), ({ merchantId, roles, sessionId, ...window }) => ({
      principal: Principal.Merchant({ id: merchantId, sessionId, roles }),
      window
    }))

  /** An agent by its token. */
  const agent = (
    token: Redacted.Redacted,
    calls: number,
    taken: AgentTokens
  ): Effect.Effect<AdmittedCaller<Agent>, InvalidToken | StoreNotFound> =>
    Effect.map(agents.admit(token, calls, taken), ({ id, proposalsOnly, scopes, storeId, ...window }) => ({
      principal: Principal.Agent({ id, storeId, scopes, proposalsOnly }),
      window
    }))

  /** The sender of a request, by either token. */
  const caller = (
    { bearer, token }: Tokens,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<AdmittedCaller, NotSignedIn | InvalidToken | StoreNotFound> => {
    if (bearer !== undefined) return agent(bearer, calls, "shown")
    return token === undefined ? new NotSignedIn() : merchant(token, stores, calls)
  }

  return { agent, caller }
})

/**
 * Requires the principal that a protocol found before it wrote the call to the server, and masks defects. Headers of the
 * message are not read: its sender chooses them.
 */
export const AuthenticationLive = Layer.succeed(Authentication, (handler) =>
  Effect.serviceOption(CurrentPrincipal).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.fail(new NotSignedIn()),
        onSome: (principal) => Effect.provideService(handler, CurrentPrincipal, principal)
      })
    ),
    maskDefects
  )
)
