import { ConnectionError } from "./Errors.ts"
import type { HttpResponse } from "./Transport.ts"

/* Retries. Every request can be retried, because writes have an `Idempotency-Key`. */

/** Waits, or rejects with the reason of the signal. */
export type Wait = (millis: number, signal: AbortSignal | undefined) => Promise<void>

export interface RetryOptions {
  /** Retries after connection failures, 502, 503 and 504. Default: 4. */
  readonly maxRetries?: number | undefined
  /**
   * Total milliseconds of waiting before retries. Default: 90,000, because a call that got 429 is admitted within 60
   * seconds.
   */
  readonly maxWait?: number | undefined
  /** Replaces the timers of the platform. */
  readonly wait?: Wait | undefined
}

/** Milliseconds before the first retry. The delay doubles with each retry, up to the longest. */
const FIRST_WAIT = 500
const LONGEST_WAIT = 10_000

const TOO_MANY_REQUESTS = 429

/** Temporary failures of the service or of a proxy. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

const sleep: Wait = (millis, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }, millis)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener("abort", abort, { once: true })
  })

/** Computes the delay. Half of it is random, so that concurrent clients do not retry at the same time. */
const backoff = (repeats: number) => {
  const delay = Math.min(FIRST_WAIT * 2 ** repeats, LONGEST_WAIT)
  return (delay + Math.random() * delay) / 2
}

/** Parses `Retry-After`, seconds or a date, to milliseconds. */
const parseRetryAfter = (headers: Headers) => {
  const value = headers.get("retry-after") ?? ""
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(millis) ? 0 : millis
}

/** Repeats `attempt` within the limits. Settles with the last outcome. */
export const withRetries = async (
  attempt: () => Promise<HttpResponse | ConnectionError>,
  { maxRetries = 4, maxWait = 90_000, wait = sleep }: RetryOptions,
  signal: AbortSignal | undefined
): Promise<HttpResponse> => {
  let failures = 0
  let waited = 0
  for (let repeats = 0; ; repeats++) {
    const outcome = await attempt()
    const isFailure = outcome instanceof ConnectionError
    const isLimited = !isFailure && outcome.status === TOO_MANY_REQUESTS
    if (!isFailure && !isLimited && !UNAVAILABLE.has(outcome.status)) return outcome
    if (!isLimited) failures++
    const millis = Math.max(isFailure ? 0 : parseRetryAfter(outcome.headers), backoff(repeats))
    waited += millis
    if (failures > maxRetries || waited > maxWait) {
      if (isFailure) throw outcome
      return outcome
    }
    await wait(millis, signal)
  }
}
