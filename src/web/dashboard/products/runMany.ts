import { Clock, Effect, Predicate, Result } from "effect"
import { isTransient } from "../../data/errorMessages.ts"

/** Writes that are under way at once. */
const CONCURRENCY = 4

/** How often a write is sent again of which no answer came. */
const MAX_RETRIES = 4

const SECOND = 1000

/** Milliseconds after which who waits looks whether it shall stop. */
const WAIT_STEP_MILLIS = 250

const retryDelay = (error: unknown, attempt: number) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * SECOND
    : Math.min(500 * 2 ** attempt, 8 * SECOND)

const isRateLimited = (error: unknown) => Predicate.isTagged(error, "RateLimitExceeded")

/** What came of the write of one of many. */
export interface Outcome<Item, E> {
  readonly item: Item
  readonly result: Result.Result<unknown, E>
}

interface Run<Item, E> {
  readonly items: ReadonlyArray<Item>
  /** Does it for one of them, under a key that stays the same when it is sent again. */
  readonly write: (item: Item) => Effect.Effect<unknown, E>
  readonly onOutcome: (outcome: Outcome<Item, E>) => void
  /** Seconds until it goes on, while the service takes no more calls; undefined when it does. */
  readonly onWait: (seconds: number | undefined) => void
  readonly isStopped: () => boolean
}

/**
 * Writes many, a few at once. Where the service says that it takes no more for a while, all wait for as long as it says. A
 * stop begins nothing more; what is under way is waited for, so that it is known of each what came of it.
 */
export const runMany = <Item, E>({ isStopped, items, onOutcome, onWait, write }: Run<Item, E>): Effect.Effect<void> => {
  let closedUntil = 0

  /** Waits for the service to take calls again, in short steps, to hear of a stop. */
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
        // It was not done: after a stop it is as one that was never begun.
        return yield* attempt(item, sending, 0)
      }
      if (repeats === MAX_RETRIES) return onOutcome({ item, result })
      yield* Effect.sleep(retryDelay(result.failure, repeats))
      yield* attempt(item, sending, repeats + 1)
    })

  return Effect.forEach(items, (item) => attempt(item, write(item), 0), { concurrency: CONCURRENCY, discard: true })
}
