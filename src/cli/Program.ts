import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { type CliError, CliOutput, Command, TerminalCapabilities } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { LoggingAsideLive, LoggingLive } from "../layers/Logging.ts"
import { exitOnFailure } from "../Startup.ts"
import { apps } from "./Apps.ts"
import { developers } from "./Accounts.ts"
import { exportCommands } from "./Export.ts"
import { makePresenter, namesAt } from "./Help.ts"
import { importCommands } from "./import/Import.ts"
import { installations } from "./Installations.ts"
import { webhooks } from "./Webhooks.ts"
import { merchants } from "./Merchants.ts"
import { migrate, plans, stores } from "./Stores.ts"
import { worker } from "./Worker.ts"

const program = Command.make("partner-api").pipe(
  Command.withDescription(
    "Operates the Partner API on DATABASE_URL, or on the embedded database under DATA_DIR. Each command has its own --help"
  ),
  Command.withSubcommands([
    migrate,
    plans,
    stores,
    apps,
    installations,
    merchants,
    developers,
    importCommands,
    exportCommands,
    worker,
    webhooks
  ])
)

const { version } = packageJson

const run = Command.runWith(program, { version })

/** Suggestions of the library are lines of their own. An error is one line here. */
const withSuggestions = (line: string, suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? line : `${line}. Did you mean ${suggestions.join(" or ")}?`

/** The message of an error of use. */
const lineOf = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnknownSubcommand": {
      const { parent = [program.name] } = error
      const names = namesAt(program, parent).map((name) => `'${name}'`)
      return `Invalid subcommand for ${parent.join(" ")} - use one of ${names.join(", ")}`
    }
    case "UnrecognizedOption":
      return withSuggestions(`Received unknown option: ${error.option}`, error.suggestions)
    case "MissingOption":
      return `Missing option: --${error.option}`
    case "MissingArgument":
      return `Missing argument: <${error.argument}>`
    case "InvalidValue": {
      const name = error.kind === "flag" ? `--${error.option}` : error.option
      // The library writes the words of a choice as "a" | "b".
      if (error.expected.startsWith('"'))
        return `${name}: must be one of ${error.expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
      return error.value === "" ? `${name}: needs a value` : `${name}: ${error.expected}`
    }
    default:
      return error.message
  }
}

/** The log of a worker, a service, is all that it prints. The standard output of other commands is their result. */
const loggingOf = ([command]: ReadonlyArray<string>) => (command === "worker" ? LoggingLive : LoggingAsideLive)

/** Runs the command that was `typed` behind the name of the program. */
export const partnerApi = (typed: ReadonlyArray<string>) =>
  run(typed).pipe(
    // The library fails with `ShowHelp` after help, too.
    Effect.catchTag("ShowHelp", ({ errors }) =>
      errors.length === 0 ? Effect.void : Effect.fail({ message: errors.map(lineOf).join("; ") })
    ),
    Effect.provide(
      Layer.mergeAll(
        CliOutput.layerPresenter(makePresenter(program, { title: "Partner API", version })),
        TerminalCapabilities.layer,
        loggingOf(typed)
      ).pipe(Layer.provideMerge(NodeServices.layer))
    ),
    exitOnFailure
  )
