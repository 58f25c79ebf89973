import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { type CliError, CliOutput, Command, TerminalCapabilities } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { StderrLoggingLive, LoggingLive } from "../layers/Logging.ts"
import { reportFailure } from "../Startup.ts"
import { developers } from "./Accounts.ts"
import { apps } from "./Apps.ts"
import { backup } from "./Backups.ts"
import { cells } from "./Cells.ts"
import { changeSets } from "./ChangeSets.ts"
import { clusters } from "./Clusters.ts"
import { doctor } from "./Doctor.ts"
import { exportCommands } from "./Export.ts"
import { files } from "./Files.ts"
import { makePresenter, subcommandNames } from "./Help.ts"
import { importCommands } from "./import/Import.ts"
import { installations } from "./Installations.ts"
import { merchants } from "./Merchants.ts"
import { withHelp } from "./Options.ts"
import { migrate, plans, stores } from "./Stores.ts"
import { webhooks } from "./Webhooks.ts"
import { worker } from "./Worker.ts"

const program = Command.make("partner-api").pipe(
  withHelp({
    summary: "Operate the Partner API",
    details: "Commands use DATABASE_URL, or the embedded database under DATA_DIR. Servers may run at the same time.",
    examples: [
      "plans list",
      'stores create --name "Corner shop" --plan growth --currency EUR',
      "stores list --json",
      "import products --store <id> --file products.jsonl",
      "apps create --help"
    ]
  }),
  Command.withSubcommands([
    migrate,
    doctor,
    plans,
    stores,
    apps,
    installations,
    merchants,
    developers,
    importCommands,
    exportCommands,
    changeSets,
    files,
    worker,
    webhooks,
    clusters,
    backup,
    cells
  ])
)

const { version } = packageJson

const run = Command.runWith(program, { version })

const didYouMean = (suggestions: ReadonlyArray<string>) =>
  suggestions.length === 0 ? "" : `. Did you mean ${suggestions.join(" or ")}?`

const formatInvalidValue = ({ expected, kind, option, value }: CliError.InvalidValue) => {
  const name = kind === "flag" ? `--${option}` : option
  // The library formats the words of a choice as "a" | "b".
  if (expected.startsWith('"')) return `${name}: must be one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
  return value === "" ? `${name}: needs a value` : `${name}: ${expected}`
}

/** Formats a usage error in one line. Messages of the library span several lines. */
const formatUsageError = (error: CliError.NonShowHelpErrors): string => {
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
const formatUsageErrors = ({ commandPath, errors }: CliError.ShowHelp) => {
  const problems = errors.map(formatUsageError).join("; ")
  return `${problems}${/[.?]$/.test(problems) ? "" : "."} See: ${commandPath.join(" ")} --help`
}

/** A worker logs to standard output, like a server. Other commands print their result there. */
const loggingOf = ([command]: ReadonlyArray<string>) => (command === "worker" ? LoggingLive : StderrLoggingLive)

/** Runs the command that the arguments name. */
export const partnerApi = (args: ReadonlyArray<string>) =>
  run(args).pipe(
    // The library also fails with `ShowHelp` after it has printed requested help.
    Effect.catchTag("ShowHelp", (help) =>
      help.errors.length === 0 ? Effect.void : Effect.fail({ message: formatUsageErrors(help) })
    ),
    Effect.provide(
      Layer.mergeAll(
        CliOutput.layerPresenter(makePresenter(program, { title: "Partner API", version })),
        TerminalCapabilities.layer,
        loggingOf(args)
      ).pipe(Layer.provideMerge(NodeServices.layer))
    ),
    reportFailure
  )
