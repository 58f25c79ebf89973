import { Effect } from "effect"

/**
 * Lets whatever else came to the process go on first, which has but one thread: what takes long is done in parts, with a
 * turn between two of them.
 */
export const nextTurn: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})
