import { Effect } from "effect"

/** Result of one check. The message of a warning or problem ends with what to change. It contains no secret. */
export interface Check {
  readonly status: "ok" | "warning" | "problem"
  readonly check: string
  readonly message: string
}

/** Makes the results of a check with this name. */
export const checkNamed = (check: string) => ({
  ok: (message: string): Check => ({ status: "ok", check, message }),
  warning: (message: string): Check => ({ status: "warning", check, message }),
  problem: (message: string): Check => ({ status: "problem", check, message })
})

/** Turns a failure of a check into a problem. */
export const problemOf =
  (check: string) =>
  <E extends { readonly message: string }, R>(effect: Effect.Effect<Check, E, R>): Effect.Effect<Check, never, R> =>
    Effect.catch(effect, ({ message }) => Effect.succeed(checkNamed(check).problem(message)))
