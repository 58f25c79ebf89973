import { Option } from "effect"

/**
 * Seconds between the attempts of a delivery: 14 attempts in about 72 hours (docs/webhooks.md). Each delay varies
 * by up to 20 %, so that deliveries that failed together are not retried together.
 */
export const RETRY_SECONDS = [
  5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 43_200, 43_200, 72_000
] as const

/** Maximum delay in seconds that a `Retry-After` header can request. */
const MAX_SECONDS = 86_400

const JITTER = 0.2

/**
 * Parses `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). A date is relative to `now`, in Unix
 * seconds. Returns 0 for an invalid value.
 */
export const retryAfterSeconds = (header: string | null, now: number): number => {
  // White space around a value is not part of it (RFC 9110, section 5.5).
  const value = (header ?? "").trim()
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? 0 : Math.max(0, date / 1000 - now)
}

/**
 * Returns the seconds until the next attempt after `failures` failed ones, or none if the delivery is dead. `chance` is
 * a random number from 0 to 1. `retryAfter`, in seconds as the receiver requested, can only extend the delay.
 */
export const nextAttempt = (failures: number, chance: number, retryAfter: number): Option.Option<number> =>
  Option.map(Option.fromNullishOr(RETRY_SECONDS[failures - 1]), (seconds) =>
    Math.max(seconds * (1 - JITTER + 2 * JITTER * chance), Math.min(retryAfter, MAX_SECONDS))
  )
