import { Effect, Semaphore } from "effect"

/**
 * Lets whatever else came to the process go on first, which has but one thread: what takes long is done in parts, with a
 * turn between two of them.
 */
export const nextTurn: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})

const paceGate = Semaphore.makeUnsafe(1)

/** Waits by the clock of the machine, whatever clock the fiber has: other fibers wait for the gate. */
const rest = (millis: number) =>
  Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), millis)
  })

/** Characters of a body from which on work on it is paced. */
export const LARGE_BODY = 64 * 1024

/**
 * Runs work on a large body, which takes the process's only thread for tens of milliseconds: one at a time, and then the
 * thread is left to other requests for as long as the work took. The work must not wait for anything itself.
 */
export const paced = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.andThen(
      paceGate.take(1),
      Effect.map(nextTurn, () => performance.now())
    ),
    () => work,
    (startedAt) => Effect.forkDetach(Effect.andThen(rest(performance.now() - startedAt), paceGate.release(1)))
  )
