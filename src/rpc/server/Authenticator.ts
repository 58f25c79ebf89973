import { Cause, Effect, Exit, Layer, Metric, Option, Predicate, type Redacted } from "effect"
import { Agents, type AgentTokens } from "../../domain/access/Agents.ts"
import { NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { makeSeries, rpcDuration, windowRefusals } from "../../domain/Metrics.ts"
import { type WindowResult, RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { Authentication } from "../Authentication.ts"
import { type Agent, CurrentPrincipal, Principal } from "../Principal.ts"
import { maskDefects } from "./ErrorMasking.ts"

/** An authenticated caller. The rate window admits the first `window.admitted` calls. */
export interface AdmittedCaller<P = Principal> {
  readonly principal: P
  readonly window: WindowResult
}

/** The tokens of a request. The bearer token wins, because browsers send cookies automatically. */
export interface Tokens {
  /** Session token. */
  readonly token: Redacted.Redacted | undefined
  /** Token of an agent. */
  readonly bearer: Redacted.Redacted | undefined
}

const callRefusals = Metric.withAttributes(windowRefusals, { "principal.type": "caller" })

/** Returns the principal if the rate window admitted the call at this index of the request. */
export const admittedPrincipal = <P>(
  { principal, window }: AdmittedCaller<P>,
  index: number
): Effect.Effect<P, RateLimitExceeded> =>
  index < window.admitted
    ? Effect.succeed(principal)
    : Effect.andThen(Metric.update(callRefusals, 1), new RateLimitExceeded({ retryAfter: window.retryAfter }))

/** Authenticates callers by token and counts their calls in the rate window, in one statement. */
export const makeAuthenticator = Effect.gen(function* () {
  const agents = yield* Agents
  const sessions = yield* Sessions

  /** Authenticates a merchant by session token and reads their roles in `stores`. */
  const authenticateMerchant = (
    token: Redacted.Redacted,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<AdmittedCaller, NotSignedIn> =>
    Effect.map(sessions.admit(token, stores, calls), ({ merchantId, roles, sessionId, ...window }) => ({
      principal: Principal.Merchant({ id: merchantId, sessionId, roles }),
      window
    }))

  /** Authenticates an agent by token. */
  const authenticateAgent = (
    token: Redacted.Redacted,
    calls: number,
    accepted: AgentTokens
  ): Effect.Effect<AdmittedCaller<Agent>, InvalidToken | StoreNotFound> =>
    Effect.map(agents.admit(token, calls, accepted), ({ id, proposalsOnly, scopes, storeId, ...window }) => ({
      principal: Principal.Agent({ id, storeId, scopes, proposalsOnly }),
      window
    }))

  /** Authenticates the caller of a request by bearer or session token. */
  const authenticate = (
    { bearer, token }: Tokens,
    stores: ReadonlyArray<StoreId>,
    calls: number
  ): Effect.Effect<AdmittedCaller, NotSignedIn | InvalidToken | StoreNotFound> => {
    if (bearer !== undefined) return authenticateAgent(bearer, calls, "shown")
    return token === undefined ? new NotSignedIn() : authenticateMerchant(token, stores, calls)
  }

  return { authenticateAgent, authenticate }
})

/** The tag of the error with which a call ended, as attribute of metrics. */
const errorTypeOf = (exit: Exit.Exit<unknown, unknown>): Readonly<Record<string, string>> => {
  if (Exit.isSuccess(exit)) return {}
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return { "error.type": Predicate.hasProperty(error, "_tag") ? String(error._tag) : "interrupted" }
}

/**
 * Requires the principal that the transport authenticated, and masks defects. Never reads headers of the message, because
 * the client sets them.
 */
export const AuthenticationLive = Layer.effect(
  Authentication,
  Effect.map(Effect.context<never>(), (context) => {
    const recordDuration = makeSeries(rpcDuration)
    return Authentication.of((handler, { rpc }) =>
      Effect.suspend(() => {
        const start = performance.now()
        return Effect.serviceOption(CurrentPrincipal).pipe(
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.fail(new NotSignedIn()),
              onSome: (principal) => Effect.provideService(handler, CurrentPrincipal, principal)
            })
          ),
          maskDefects,
          Effect.onExit((exit) =>
            Effect.sync(() =>
              recordDuration(context, (performance.now() - start) / 1000, {
                "rpc.method": rpc._tag,
                ...errorTypeOf(exit)
              })
            )
          )
        )
      })
    )
  })
)
