import { Option } from "effect"

/**
 * Seconds between the attempts of one delivery: 14 attempts in about 72 hours (decisions, section 10). Each wait is
 * lengthened or shortened by up to a fifth, so that what failed together does not come back together.
 */
export const RETRY_SECONDS = [
  5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 43_200, 43_200, 72_000
] as const

/** The longest wait that a receiver's `Retry-After` is heeded for: the longest there is without one. */
const MAX_SECONDS = 86_400

const JITTER = 0.2

/**
 * `Retry-After` in seconds, given as such or as a date (RFC 9110, section 10.2.3). A date counts from `now`, in Unix
 * seconds. What cannot be read is no wish.
 */
export const retryAfterSeconds = (header: string | null, now: number): number => {
  // White space around a value is not part of it (RFC 9110, section 5.5).
  const wish = (header ?? "").trim()
  if (/^\d+$/.test(wish)) return Number(wish)
  const date = Date.parse(wish)
  return Number.isNaN(date) ? 0 : Math.max(0, date / 1000 - now)
}

/**
 * Seconds until the next attempt after `failures` of them; none when there is no further one and the delivery is dead.
 * `chance` is a random number from 0 to 1. `wished`, the receiver's `Retry-After`, may only lengthen the wait.
 */
export const nextAttempt = (failures: number, chance: number, wished: number): Option.Option<number> =>
  Option.map(Option.fromNullishOr(RETRY_SECONDS[failures - 1]), (seconds) =>
    Math.max(seconds * (1 - JITTER + 2 * JITTER * chance), Math.min(wished, MAX_SECONDS))
  )
