import { Cause, Effect, Schedule } from "effect"

/** How long to wait for a database that does not answer. */
export const PAUSE = "1 second"

/** What lies below a failure: the words of the driver or the socket. */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return wordsOf(error.cause)
  return "code" in error ? `${error.message} (${String(error.code)})` : error.message
}

/**
 * Repeats what broke until it works. Whatever breaks is the database, and all that breaks meanwhile is the same outage:
 * the log says so in one line, with the stack for who asks for it.
 */
export const makePatience = (who: string) => {
  let waiting = 0
  const begin = (cause: Cause.Cause<never>) =>
    Effect.suspend(() => {
      waiting += 1
      if (waiting > 1) return Effect.void
      const line = `${who} wait for the database: ${wordsOf(Cause.squash(cause))}`
      return Effect.andThen(Effect.logWarning(line), Effect.logDebug(cause))
    })
  return <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.catchCause(work, (cause) =>
      begin(cause).pipe(
        Effect.andThen(Effect.retry(Effect.delay(Effect.sandbox(work), PAUSE), Schedule.forever)),
        Effect.orDie,
        Effect.ensuring(Effect.sync(() => (waiting -= 1)))
      )
    )
}
