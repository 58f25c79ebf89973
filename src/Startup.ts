import { Cause, Config, Console, Effect, Exit, Option, Predicate, Runtime, Schema, SchemaIssue } from "effect"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The problems of the settings, each with its name. */
const configLine = ({ cause }: Config.ConfigError): string =>
  Schema.isSchemaError(cause)
    ? formatIssues(cause.issue)
        .issues.map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
        .join("; ")
    : cause.message

const deepest = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? deepest(error.cause) : error)

const lineOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return configLine(error)
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
  Effect.tapCause(program, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Console.error(
          `partner-api: ${oneLine(lineOf(Option.getOrElse(Cause.findErrorOption(cause), () => Cause.squash(cause))))}`
        )
  )

/** A process that a signal stops ends with 0, or with the code that its program has set. The library would end it with 130. */
export const teardown: Runtime.Teardown = (exit, end) => {
  const isStopped = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
  if (isStopped) end(Number(process.exitCode ?? 0))
  else Runtime.defaultTeardown(exit, end)
}
