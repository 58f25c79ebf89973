import { ConnectionError } from "./Errors.ts"
import type { Received } from "./Transport.ts"

/* When a request is sent again. Each one may be: what it writes carries an `Idempotency-Key`. */

/** Waits for as many milliseconds, or rejects with the reason of the signal. */
export type Wait = (millis: number, signal: AbortSignal | undefined) => Promise<void>

export interface RetryOptions {
  /** How often a request is sent again that got no answer, or 502, 503 or 504. 4 times when left out. */
  readonly maxRetries?: number | undefined
  /**
   * How many milliseconds a call waits in all before it is sent again. 90,000 when left out: a call that is refused by the
   * rate limit (429) gets its turn within 60 seconds.
   */
  readonly maxWait?: number | undefined
  /** Waits, instead of the platform's timers. */
  readonly wait?: Wait | undefined
}

/** Milliseconds before a request is sent for the second time. Each later wait is twice as long, up to the longest. */
const FIRST_WAIT = 500
const LONGEST_WAIT = 10_000

const TOO_MANY_REQUESTS = 429

/** That the service, or what stands before it, cannot answer now. */
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

/** Half of it is chance, so that those who were refused at once do not come back at once. */
const backoff = (repeats: number) => {
  const whole = Math.min(FIRST_WAIT * 2 ** repeats, LONGEST_WAIT)
  return (whole + Math.random() * whole) / 2
}

/** Milliseconds that `Retry-After` asks for: seconds, or a date. */
const askedFor = (headers: Headers) => {
  const value = headers.get("retry-after") ?? ""
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(millis) ? 0 : millis
}

/** What `attempt` answers in the end, or the error of its last one: made again while that may help, and is allowed. */
export const retrying = async (
  attempt: () => Promise<Received | ConnectionError>,
  { maxRetries = 4, maxWait = 90_000, wait = sleep }: RetryOptions,
  signal: AbortSignal | undefined
): Promise<Received> => {
  let failures = 0
  let waited = 0
  for (let repeats = 0; ; repeats++) {
    const outcome = await attempt()
    const isFailure = outcome instanceof ConnectionError
    const isLimited = !isFailure && outcome.status === TOO_MANY_REQUESTS
    if (!isFailure && !isLimited && !UNAVAILABLE.has(outcome.status)) return outcome
    if (!isLimited) failures++
    const millis = Math.max(isFailure ? 0 : askedFor(outcome.headers), backoff(repeats))
    waited += millis
    if (failures > maxRetries || waited > maxWait) {
      if (isFailure) throw outcome
      return outcome
    }
    await wait(millis, signal)
  }
}
