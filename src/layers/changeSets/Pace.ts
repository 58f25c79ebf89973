import { Context, Data, Effect } from "effect"
import { type Job, Jobs, type LeaseLost } from "../jobs/Jobs.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/**
 * Milliseconds after which a step of a set in mode `each` ends with what it has performed: `locked` while the other writes of
 * the store wait for its transaction.
 */
export const StepMillis = Context.Reference<Readonly<Record<"locked" | "unlocked", number>>>(
  "layers/changeSets/StepMillis",
  { defaultValue: () => ({ locked: 140, unlocked: 1_000 }) }
)

/** Maximum milliseconds of the transaction of an atomic set, and between two looks for a cancellation. */
export const AtomicMillis = Context.Reference<number>("layers/changeSets/AtomicMillis", { defaultValue: () => 30_000 })
const CANCELLATION_MILLIS = 250

/** An atomic set was canceled, or takes too long, so nothing may be stored. */
export class AtomicStopped extends Data.TaggedError("AtomicStopped")<{ readonly state: "canceled" | "failed" }> {}

/** Ends a step of mode `each` after its time. Checks an atomic set, whose step cannot end early. */
export const makePace = Effect.gen(function* () {
  const jobs = yield* Jobs

  return (
    job: Job,
    { mode }: StoredChangeSet,
    lock: "locked" | "unlocked"
  ): Effect.Effect<boolean, LeaseLost | AtomicStopped> => {
    const start = performance.now()
    if (mode === "each") return Effect.map(StepMillis, (limits) => performance.now() - start > limits[lock])
    let lookedAt = -Infinity
    return Effect.gen(function* () {
      const now = performance.now()
      if (now - start > (yield* AtomicMillis)) return yield* new AtomicStopped({ state: "failed" })
      if (now - lookedAt < CANCELLATION_MILLIS) return false
      lookedAt = now
      return (yield* jobs.isCanceled(job)) ? yield* new AtomicStopped({ state: "canceled" }) : false
    })
  }
})
