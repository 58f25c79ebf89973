import { Cause, Config, Console, Effect, Exit, Option, Predicate, Runtime, Schema, SchemaIssue } from "effect"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Formats the problems of settings with their names. */
const formatConfigError = ({ cause }: Config.ConfigError): string =>
  Schema.isSchemaError(cause)
    ? formatIssues(cause.issue)
        .issues.map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
        .join("; ")
    : cause.message

const rootCause = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? rootCause(error.cause) : error)

const formatError = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return formatConfigError(error)
  const root = rootCause(error)
  return (Predicate.hasProperty(root, "message") ? String(root.message) : String(root)) || "Unknown failure"
}

const joinLines = (text: string) => text.trim().replaceAll(/\s*\n\s*/g, "; ")

/** Formats a failure in one line, without stack and secrets. */
export const formatFailure = (error: unknown): string => joinLines(formatError(error))

/**
 * Ignores signals after the first one. Under npm a Ctrl-C arrives twice, from the terminal and forwarded by npm, and the
 * second one would end the process during its shutdown.
 */
export const ignoreRepeatedSignals = Effect.sync(() => {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {})
})

/** Prints a failure as one line on standard error, without stack and secrets. */
export const reportFailure = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tapCause(program, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Console.error(
          `partner-api: ${formatFailure(Option.getOrElse(Cause.findErrorOption(cause), () => Cause.squash(cause)))}`
        )
  )

/** Exits with 0, or with the code that the program has set, after a signal. The default exit code would be 130. */
export const teardown: Runtime.Teardown = (exit, end) => {
  const isStopped = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
  if (isStopped) end(Number(process.exitCode ?? 0))
  else Runtime.defaultTeardown(exit, end)
}
