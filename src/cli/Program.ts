import { CliConfig, Command, HelpDoc, ValidationError } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { LoggingAsideLive, LoggingLive } from "../layers/Logging.ts"
import { exitOnFailure } from "../Startup.ts"
import { apps } from "./Apps.ts"
import { developers } from "./Developers.ts"
import { exportings } from "./Export.ts"
import { readable } from "./Help.ts"
import { imports } from "./import/Import.ts"
import { installations } from "./Installations.ts"
import { webhooks } from "./Listen.ts"
import { merchants } from "./Merchants.ts"
import { migrate, plans, stores } from "./Stores.ts"
import { worker } from "./Worker.ts"

const cli = Command.make("partner-api").pipe(
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
    imports,
    exportings,
    worker,
    webhooks
  ])
)

const NAME = "Partner API"

const run = Command.run(cli, { name: NAME, version: packageJson.version })

/** Help that fits the terminal, and what was typed wrong in the one line that every failure gets. */
const inFewWords =
  (typed: ReadonlyArray<string>) =>
  <A, E, R>(program: Effect.Effect<A, E, R>) =>
    Console.consoleWith((console) =>
      Effect.withConsole(program, {
        ...console,
        log: (...texts) => console.log(...texts.map(readable(NAME, typed))),
        error: () => Effect.void
      }).pipe(
        Effect.mapError((error) =>
          ValidationError.isValidationError(error) ? { message: HelpDoc.toAnsiText(error.error) } : error
        )
      )
    )

/** A worker is a service, and its log all that it prints. Of the other commands standard output is what was asked for. */
const loggingOf = ([command]: ReadonlyArray<string>) => (command === "worker" ? LoggingLive : LoggingAsideLive)

/** Does what was `typed` behind the name of the program. */
export const partnerApi = (typed: ReadonlyArray<string>) =>
  run(["node", "partner-api", ...typed]).pipe(
    inFewWords(typed),
    Effect.provide(Layer.mergeAll(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), loggingOf(typed))),
    exitOnFailure
  )
