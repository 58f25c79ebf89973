import { NodeServices } from "@effect/platform-node"
import { Data, Effect, Layer, Runtime } from "effect"
import { CliError, CliOutput, type Command, TerminalCapabilities } from "effect/cli"
import { release } from "../domain/Release.ts"
import { makePresenter, subcommandNames } from "./Help.ts"

const didYouMean = (suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? "" : `. Did you mean ${suggestions.join(" or ")}?`

const formatInvalidValue = ({ expected, kind, option, value }: CliError.InvalidValue) => {
  const name = kind === "flag" ? `--${option}` : option
  // The library formats the words of a choice as "a" | "b".
  if (expected.startsWith('"')) return `${name}: must be one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
  return value === "" ? `${name}: needs a value` : `${name}: ${expected}`
}

/** Formats a usage error in one line. Messages of the library span several lines. */
const formatUsageError = (program: Command.Command.Any, error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnknownSubcommand": {
      const { parent = [program.name], subcommand, suggestions } = error
      const hint = didYouMean(suggestions) || `. Use one of ${subcommandNames(program, parent).join(", ")}`
      return `Unknown command: ${subcommand}${hint}`
    }
    case "UnrecognizedOption":
      return `Unknown option: ${error.option}${didYouMean(error.suggestions)}`
    case "MissingOption":
      return `Missing option: --${error.option}`
    case "MissingArgument":
      return `Missing argument: <${error.argument}>`
    case "UnexpectedArgument":
      return `Unexpected argument: ${error.arguments.join(" ")}`
    case "InvalidValue":
      return formatInvalidValue(error)
    default:
      return error.message
  }
}

/** Formats the errors of an invocation in one line that names the help to read. */
const formatUsageErrors = (program: Command.Command.Any, { commandPath, errors }: CliError.ShowHelp) => {
  const problems = errors.map((error) => formatUsageError(program, error)).join("; ")
  return `${problems}${/[.?]$/.test(problems) ? "" : "."} See: ${commandPath.join(" ")} --help`
}

/** Wrong usage. Programs that use `getopt` exit with this code too. */
class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 2
}

/** Completes the run of a program: prints its help and version, and turns usage errors into one line. */
export const presented = <E, R>(program: Command.Command.Any, run: Effect.Effect<void, E | CliError.CliError, R>) =>
  run.pipe(
    Effect.catch((error): Effect.Effect<void, E | UsageError> => {
      if (!CliError.isCliError(error)) return Effect.fail(error)
      if (error._tag !== "ShowHelp") return Effect.fail(new UsageError({ message: error.message }))
      // The library also fails with `ShowHelp` after it has printed requested help.
      if (error.errors.length === 0) return Effect.void
      return Effect.fail(new UsageError({ message: formatUsageErrors(program, error) }))
    }),
    Effect.provide(
      Layer.merge(
        CliOutput.layerPresenter(makePresenter(program, { title: "Partner API", version: release })),
        TerminalCapabilities.layer
      ).pipe(Layer.provideMerge(NodeServices.layer))
    )
  )
