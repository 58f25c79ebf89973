import { Effect } from "effect"

const isDryRun = <A extends object>(answer: A): answer is Extract<A, { readonly dryRun: true }> => "dryRun" in answer

/** Narrows the result of a write to its dry run. Dies if the service performed the write. */
export const requireDryRun = <A extends object, E>(
  write: Effect.Effect<A, E>
): Effect.Effect<Extract<A, { readonly dryRun: true }>, E> =>
  Effect.flatMap(write, (answer) =>
    isDryRun(answer) ? Effect.succeed(answer) : Effect.die(new Error("The service performed a dry run as a write"))
  )
