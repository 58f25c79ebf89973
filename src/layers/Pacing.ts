import { Effect, Layer, Semaphore } from "effect"
import { type Pace, Pacing, unpaced } from "../domain/Pacing.ts"

/** Waits for the system clock, independent of the fiber's clock, because other fibers wait for the gate. */
const rest = (millis: number) =>
  Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), millis)
  })

/**
 * Makes a function that runs at most `permits` tasks at a time. After a task, its permit stays taken for as long as the task
 * took, so that other work runs. Interruption removes a waiting task.
 */
export const makePaced = (permits: number): Effect.Effect<Pace> =>
  Effect.map(
    Semaphore.make(permits),
    (gate) => (work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* restore(gate.take(1))
          yield* Effect.yieldNow
          const startedAt = performance.now()
          const reopen = Effect.suspend(() => Effect.andThen(rest(performance.now() - startedAt), gate.release(1)))
          return yield* Effect.ensuring(restore(work), Effect.forkDetach(reopen))
        })
      )
  )

/** Minimum length in characters of a body whose processing is paced. */
const LARGE_BODY = 64 * 1024

/** Runs one work at a time, because a process has one thread for requests. */
export const PacingLive = Layer.effect(
  Pacing,
  Effect.map(makePaced(1), (paced) => ({ paceOf: (length) => (length < LARGE_BODY ? unpaced : paced) }))
)
