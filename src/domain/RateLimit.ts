import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Installation, InstallationSuspended } from "./access/Installations.ts"
import type { InvalidToken } from "./access/Tokens.ts"
import type { AdmittedInstallation } from "./Reads.ts"
import type { StoreNotFound } from "./Store.ts"

/** Maximum number of requests of one installation in any {@link WINDOW_SECONDS} seconds (contract, section 8). */
export const WINDOW_REQUESTS = 100
export const WINDOW_SECONDS = 60

/**
 * Maximum number of calls of one merchant in {@link WINDOW_SECONDS} seconds, across all stores and sessions. It exceeds
 * what a person does by hand.
 */
export const MERCHANT_CALLS = 600

export class RateLimitExceeded extends Schema.TaggedError<RateLimitExceeded>()("RateLimitExceeded", {
  /** Seconds until the next request is admitted, if known. */
  retryAfter: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    const { retryAfter } = this
    return retryAfter === undefined
      ? "Rate limit exceeded"
      : `Rate limit exceeded; repeat the request in ${retryAfter} seconds`
  }
}

/** Number of simultaneous requests that the window admitted, and seconds until it admits another one. */
export const WindowResult = Schema.Struct({ admitted: Schema.Int, retryAfter: Schema.Int })
export type WindowResult = typeof WindowResult.Type

/** Reasons to reject a request after a look at its token only, in the order of the checks. */
export type Refusal = InvalidToken | InstallationSuspended | StoreNotFound | RateLimitExceeded

/** Authenticates requests with a bearer token and enforces the rolling window. */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /**
     * Authenticates the token and counts the request. Rejected requests are not counted. The limit is exact across all
     * server processes and uses the clock of the database: a window admits exactly {@link WINDOW_REQUESTS} requests.
     */
    readonly admit: (token: Redacted.Redacted) => Effect.Effect<AdmittedInstallation, Refusal>
    /** Authenticates the token again while its request waits or sends its body. Counts no request. */
    readonly recheck: (token: Redacted.Redacted) => Effect.Effect<Installation, Exclude<Refusal, RateLimitExceeded>>
  }
>()("domain/RateLimit") {}
