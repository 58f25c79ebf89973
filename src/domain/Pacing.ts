import { Effect, Semaphore } from "effect"

const paceGate = Semaphore.makeUnsafe(1)

/** Waits for the system clock, independent of the fiber's clock, because other fibers wait for the gate. */
const rest = (millis: number) =>
  Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), millis)
  })

/** Minimum length in characters of a body whose processing is paced. */
export const LARGE_BODY = 64 * 1024

/**
 * Runs work on a large body, which blocks the thread for tens of milliseconds. One such task runs at a time; afterwards
 * the gate stays closed for as long as the work took, so that other requests run. The work must not wait.
 */
export const paced = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.andThen(
      paceGate.take(1),
      Effect.map(Effect.yieldNow, () => performance.now())
    ),
    () => work,
    (startedAt) => Effect.forkDetach(Effect.andThen(rest(performance.now() - startedAt), paceGate.release(1)))
  )
