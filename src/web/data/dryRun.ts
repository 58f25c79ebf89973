import { Effect } from "effect"

const isDryRun = <A extends object>(answer: A): answer is Extract<A, { readonly dryRun: true }> => "dryRun" in answer

/** What a write would make and lead to, of one that was asked to be rehearsed alone. */
export const requireDryRun = <A extends object, E>(
  write: Effect.Effect<A, E>
): Effect.Effect<Extract<A, { readonly dryRun: true }>, E> =>
  Effect.flatMap(write, (answer) =>
    isDryRun(answer) ? Effect.succeed(answer) : Effect.die(new Error("A write that was to be rehearsed was not"))
  )
