import { Cause, Effect, Schedule } from "effect"

/** Pause between attempts to reach the database. */
export const PAUSE = "1 second"

/** Returns the message of the innermost cause: of the driver or the socket. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return messageOf(error.cause)
  return "code" in error ? `${error.message} (${String(error.code)})` : error.message
}

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
      const line = `${who} wait for the database: ${messageOf(Cause.squash(cause))}`
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
