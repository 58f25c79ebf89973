import { Effect, Predicate } from "effect"
import { isTransient } from "../../data/Problem.ts"

/** Writes that are under way at once. */
const AT_ONCE = 4

/** How often a write is sent again of which no answer came. */
const REPEATS = 4

const SECOND = 1000

const waitOf = (error: unknown, attempt: number) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * SECOND
    : Math.min(500 * 2 ** attempt, 8 * SECOND)

const isFull = (error: unknown) => Predicate.isTagged(error, "RateLimitExceeded")

/** What came of the write of one of many. */
export type Outcome<Item> =
  | { readonly item: Item; readonly error?: undefined }
  | { readonly item: Item; readonly error: NonNullable<unknown> }

interface Run<Item, E> {
  readonly items: ReadonlyArray<Item>
  /** Does it for one of them, under a key that stays the same when it is sent again. */
  readonly write: (item: Item) => Effect.Effect<unknown, E>
  readonly told: (outcome: Outcome<Item>) => void
  /** Seconds until it goes on, while the service takes no more calls; undefined when it does. */
  readonly waiting: (seconds: number | undefined) => void
  readonly isStopped: () => boolean
}

/**
 * Writes many, a few at once. Where the service says that it takes no more for a while, all wait for as long as it says. A
 * stop begins nothing more; what is under way is waited for, so that it is known of each what came of it.
 */
export const runMany = <Item, E>({ isStopped, items, told, waiting, write }: Run<Item, E>): Effect.Effect<void> => {
  let closedUntil = 0

  /** Waits in short steps, to hear of a stop. */
  const open: Effect.Effect<void> = Effect.suspend(() => {
    const left = closedUntil - Date.now()
    if (left <= 0 || isStopped()) return Effect.sync(() => waiting(undefined))
    waiting(Math.ceil(left / SECOND))
    return Effect.zipRight(Effect.sleep(Math.min(left, 250)), open)
  })

  const one = (item: Item, effect: Effect.Effect<unknown, E>, attempt: number): Effect.Effect<void> =>
    Effect.matchEffect(effect, {
      onSuccess: () => Effect.sync(() => told({ item })),
      onFailure: (error) => {
        if (!isTransient(error) || (!isFull(error) && attempt === REPEATS) || error === null || error === undefined) {
          return Effect.sync(() => told({ item, error: error ?? new Error("The write failed") }))
        }
        if (!isFull(error)) {
          return Effect.zipRight(Effect.sleep(waitOf(error, attempt)), one(item, effect, attempt + 1))
        }
        closedUntil = Math.max(closedUntil, Date.now() + waitOf(error, attempt))
        // It was not done: after a stop it is as one that was never begun.
        return Effect.zipRight(
          open,
          Effect.suspend(() => (isStopped() ? Effect.void : one(item, effect, attempt)))
        )
      }
    })

  return Effect.forEach(
    items,
    (item) =>
      Effect.zipRight(
        open,
        Effect.suspend(() => (isStopped() ? Effect.void : one(item, write(item), 0)))
      ),
    { concurrency: AT_ONCE, discard: true }
  )
}
