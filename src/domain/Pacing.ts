import { Context, Effect, Function as Fn, Semaphore } from "effect"

/** Waits for the system clock, independent of the fiber's clock, because other fibers wait for the gate. */
const rest = (millis: number) =>
  Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), millis)
  })

/** Minimum length in characters of a body whose processing is paced. */
const LARGE_BODY = 64 * 1024

/**
 * Makes a function that runs at most `permits` tasks at a time. After a task, its permit stays taken for as long as the task
 * took, so that other work runs. Interruption removes a waiting task.
 */
export const makePaced = (permits: number) => {
  const gate = Semaphore.makeUnsafe(permits)
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(gate.take(1))
        yield* Effect.yieldNow
        const startedAt = performance.now()
        const reopen = Effect.suspend(() => Effect.andThen(rest(performance.now() - startedAt), gate.release(1)))
        return yield* Effect.ensuring(restore(work), Effect.forkDetach(reopen))
      })
    )
}

/** Runs work on a large body, which blocks the thread for tens of milliseconds. The work must not wait. */
export const paced = makePaced(1)

/** Paces work on a body of this length, if it is large. */
export const pacedBy = (length: number): typeof paced => (length < LARGE_BODY ? Fn.identity : paced)

/** Length in characters of the request body that holds the current call. */
export const BodyLength = Context.Reference<number>("domain/BodyLength", { defaultValue: () => 0 })
