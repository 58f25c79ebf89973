import { Effect } from "effect"

/** Wraps an operation in a span, without the stack trace that Effect would capture even while tracing is off. */
export const traced =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withSpan(operation, name, { captureStackTrace: false })
