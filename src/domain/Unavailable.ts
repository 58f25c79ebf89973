import { Cause, Context, Effect, Schema } from "effect"

/**
 * The database is unreachable, is read-only, or aborted a wait. The write was not done, or its outcome is unknown:
 * clients repeat it with the same key. Every statement can raise it, so it travels as a defect, which each surface maps
 * by its error table.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { cause: Schema.Defect() }) {
  override get message() {
    return "The database is out of reach or overloaded; repeat the request"
  }
}

/** Returns the `Unavailable` defect in a cause, if any. */
export const unavailableIn = (cause: Cause.Cause<unknown>): Unavailable | undefined =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof Unavailable)

/** Returns the message of the innermost cause: of the driver or the socket. */
export const innermostMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return innermostMessage(error.cause)
  return "code" in error ? `${error.message} (${String(error.code)})` : error.message
}

/** State of the log during an outage. */
export const OutageLog = Context.Reference("domain/OutageLog", {
  defaultValue: () => ({ reasons: new Set<string>(), failures: 0 })
})

/** Maximum number of reasons of an outage that are logged, each once. */
const MAX_REASONS = 5

/** Interval between the counts of failures. Without a failure in one interval, the outage is over. */
const REPORT_INTERVAL = "1 minute"

/** Logs the number of failures since the last line, and returns it. */
const reportFailures = Effect.gen(function* () {
  const outage = yield* OutageLog
  const { failures } = outage
  outage.failures = 0
  if (failures === 0) outage.reasons.clear()
  else yield* Effect.logError(`The database was unavailable: ${failures} more failures in the last minute`)
  return failures
})

/**
 * Logs a failure. In an outage each request fails, so each reason has one line, and the other failures are counted, with a
 * line each minute. Their causes are logged at debug level.
 */
export const logFailure = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  const unavailable = unavailableIn(cause)
  if (unavailable === undefined) return yield* Effect.logError(what, cause)
  yield* Effect.logDebug(what, cause)
  const outage = yield* OutageLog
  const { reasons } = outage
  const reason = innermostMessage(unavailable)
  if (reasons.has(reason) || reasons.size === MAX_REASONS) {
    outage.failures += 1
    return
  }
  reasons.add(reason)
  yield* Effect.logError(`${what}, because the database is unavailable: ${reason}`)
  if (reasons.size > 1) return
  yield* Effect.repeat(Effect.delay(reportFailures, REPORT_INTERVAL), { while: (failures) => failures > 0 }).pipe(
    Effect.interruptible,
    Effect.forkDetach
  )
})
