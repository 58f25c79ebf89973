import { Clock, Effect, Predicate, Result } from "effect"
import { isTransient } from "../../../data/errorMessages.ts"

/** Concurrent writes. */
const CONCURRENCY = 4

/** Retries of a write after a transient error. */
const MAX_RETRIES = 4

const SECOND = 1000

/** Interval in milliseconds at which a wait checks for a stop. */
const WAIT_STEP_MILLIS = 250

const retryDelay = (error: unknown, attempt: number) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * SECOND
    : Math.min(500 * 2 ** attempt, 8 * SECOND)

const isRateLimited = (error: unknown) => Predicate.isTagged(error, "RateLimitExceeded")

/** Result of one write. */
export interface Outcome<Item, E> {
  readonly item: Item
  readonly result: Result.Result<unknown, E>
}

interface Run<Item, E> {
  readonly items: ReadonlyArray<Item>
  /** Writes one item. A retry uses the same idempotency key. */
  readonly write: (item: Item) => Effect.Effect<unknown, E>
  readonly onOutcome: (outcome: Outcome<Item, E>) => void
  /** Called with the seconds until the rate limit ends, or undefined. */
  readonly onWait: (seconds: number | undefined) => void
  readonly isStopped: () => boolean
}

/**
 * Writes many items with limited concurrency. A rate limit pauses all of them. A stop starts no new writes, and waits
 * for those in progress, so that each result is known.
 */
export const runMany = <Item, E>({ isStopped, items, onOutcome, onWait, write }: Run<Item, E>): Effect.Effect<void> => {
  let closedUntil = 0

  /** Waits for the end of the rate limit, in short steps that notice a stop. */
  const waitUntilOpen: Effect.Effect<void> = Effect.gen(function* () {
    const left = closedUntil - (yield* Clock.currentTimeMillis)
    if (left <= 0 || isStopped()) return onWait(undefined)
    onWait(Math.ceil(left / SECOND))
    yield* Effect.sleep(Math.min(left, WAIT_STEP_MILLIS))
    yield* waitUntilOpen
  })

  const attempt = (item: Item, sending: Effect.Effect<unknown, E>, repeats: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* waitUntilOpen
      if (isStopped() && repeats === 0) return
      const result = yield* Effect.result(sending)
      if (Result.isSuccess(result) || !isTransient(result.failure)) return onOutcome({ item, result })
      if (isRateLimited(result.failure)) {
        closedUntil = Math.max(closedUntil, (yield* Clock.currentTimeMillis) + retryDelay(result.failure, 0))
        // The service rejected the write, so a stop may still skip it.
        return yield* attempt(item, sending, 0)
      }
      if (repeats === MAX_RETRIES) return onOutcome({ item, result })
      yield* Effect.sleep(retryDelay(result.failure, repeats))
      yield* attempt(item, sending, repeats + 1)
    })

  return Effect.forEach(items, (item) => attempt(item, write(item), 0), { concurrency: CONCURRENCY, discard: true })
}
