import { Effect } from "effect"

/** What a write would make and lead to, of one that was asked to be rehearsed alone. */
export const rehearsed = <A extends object, E>(
  write: Effect.Effect<A, E>
): Effect.Effect<Extract<A, { readonly dryRun: true }>, E> =>
  Effect.filterOrDieMessage(
    write,
    (answer): answer is Extract<A, { readonly dryRun: true }> => "dryRun" in answer,
    "A write that was to be rehearsed was not"
  )
