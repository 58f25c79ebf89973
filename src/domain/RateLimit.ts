import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Installation, InstallationSuspended } from "./access/Installations.ts"
import type { InvalidToken } from "./access/Tokens.ts"
import type { StoreNotFound } from "./Store.ts"

/** Requests of one installation that may be admitted in any {@link WINDOW_SECONDS} (contract, section 8). */
export const WINDOW_REQUESTS = 100
export const WINDOW_SECONDS = 60

/** Calls of one merchant that may be, in all of their stores and sessions: more than a person makes by hand. */
export const MERCHANT_CALLS = 600

export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()("RateLimitExceeded", {
  /** Seconds after which the next request is admitted, where that is told. */
  retryAfter: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    const { retryAfter } = this
    return retryAfter === undefined ? "Rate limit exceeded" : `Rate limit exceeded; repeat it in ${retryAfter} seconds`
  }
}

/** How many of the requests that came at once a window took, and the seconds after which it takes another. */
export const Counted = Schema.Struct({ admitted: Schema.Int, retryAfter: Schema.Int })
export type Counted = typeof Counted.Type

/** Why a request is turned away before anything is looked at but its token, in the order of the checks. */
export type Refusal = InvalidToken | InstallationSuspended | StoreNotFound | RateLimitExceeded

/** Who asks, and the rolling window: the door of every request that carries a bearer token. */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /**
     * Admits the bearer of `token` and counts the request, or says why not. Refused requests are not counted. Exact
     * for all server processes together, by the database's clock: never a 101st within a window, never one too few.
     */
    readonly admit: (token: Redacted.Redacted) => Effect.Effect<Installation, Refusal>
  }
>()("domain/RateLimit") {}
