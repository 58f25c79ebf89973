import { Effect } from "effect"

/** A span around an operation. */
export const traced =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    // The library makes the stack trace of each span, also while spans are off.
    Effect.withSpan(operation, name, { captureStackTrace: false })
