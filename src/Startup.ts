import { Cause, ConfigError, Console, Effect, Option, Predicate } from "effect"

const configLine = (error: ConfigError.ConfigError): string =>
  ConfigError.reduceWithContext(error, undefined, {
    andCase: (_, left, right) => `${left}; ${right}`,
    orCase: (_, left, right) => `${left}; ${right}`,
    invalidDataCase: (_, path, message) => `${path.join(".")}: ${message}`,
    missingDataCase: (_, path, message) => `${path.join(".")}: ${message}`,
    sourceUnavailableCase: (_, path, message) => `${path.join(".")}: ${message}`,
    unsupportedCase: (_, path, message) => `${path.join(".")}: ${message}`
  })

const deepest = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? deepest(error.cause) : error)

const lineOf = (error: unknown): string => {
  if (ConfigError.isConfigError(error)) return configLine(error)
  const root = deepest(error)
  return (Predicate.hasProperty(root, "message") ? String(root.message) : String(root)) || "Unknown failure"
}

const oneLine = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, "; ")

/**
 * Only the first signal counts. A Ctrl-C comes twice where npm runs us, from the terminal and handed on by npm, and the
 * second would end the process in the middle of its stop.
 */
export const heedOneSignal = Effect.sync(() => {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {})
})

/** Ends the process with one clear line on standard error when it could not start or broke: no stack, no secret. */
export const exitOnFailure = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tapErrorCause(program, (cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Console.error(
          `partner-api: ${oneLine(lineOf(Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))))}`
        )
  )
