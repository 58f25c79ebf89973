import { Effect } from "effect"

/** A span around an operation. */
export const traced =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withSpan(operation, name)
