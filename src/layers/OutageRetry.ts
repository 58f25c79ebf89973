import { Cause, Effect, Schedule } from "effect"
import { innermostMessage } from "../domain/Unavailable.ts"

/** Pause between attempts to reach the database. */
export const PAUSE = "1 second"

/**
 * Makes a function that repeats effects while the database is unreachable. All effects that fail during one outage share
 * one line in the log; the stack is logged at debug level. `who` names them in the log, in plural.
 */
export const makeOutageRetry = (who: string) => {
  let waiting = 0
  const begin = (cause: Cause.Cause<never>) =>
    Effect.suspend(() => {
      waiting += 1
      if (waiting > 1) return Effect.void
      const line = `${who} wait for the database: ${innermostMessage(Cause.squash(cause))}`
      return Effect.andThen(Effect.logWarning(line), Effect.logDebug(cause))
    })
  return <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.catchCause(effect, (cause) =>
      begin(cause).pipe(
        Effect.andThen(Effect.retry(Effect.delay(Effect.sandbox(effect), PAUSE), Schedule.forever)),
        Effect.orDie,
        Effect.ensuring(Effect.sync(() => (waiting -= 1)))
      )
    )
}
