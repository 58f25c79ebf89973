import { Effect } from "effect"

const isDryRun = <A extends object>(result: A): result is Extract<A, { readonly dryRun: true }> => "dryRun" in result

/** Narrows the result of a write to its dry run. Dies if the service performed the write. */
export const requireDryRun = <A extends object, E>(
  write: Effect.Effect<A, E>
): Effect.Effect<Extract<A, { readonly dryRun: true }>, E> =>
  Effect.flatMap(write, (result) =>
    isDryRun(result) ? Effect.succeed(result) : Effect.die(new Error("The service performed a dry run as a write"))
  )
