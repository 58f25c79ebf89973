#!/usr/bin/env node
import { CliConfig, Command, HelpDoc, ValidationError } from "@effect/cli"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import packageJson from "../package.json" with { type: "json" }
import { apps } from "./cli/Apps.ts"
import { installations } from "./cli/Installations.ts"
import { webhooks } from "./cli/Listen.ts"
import { migrate, plans, stores } from "./cli/Stores.ts"
import { worker } from "./cli/Worker.ts"
import { LoggingLive } from "./layers/Logging.ts"
import { exitOnFailure, heedOneSignal } from "./Startup.ts"

const cli = Command.make("partner-api").pipe(
  Command.withDescription("Operates the Partner API on DATABASE_URL, or on the embedded database under DATA_DIR"),
  Command.withSubcommands([migrate, plans, stores, apps, installations, worker, webhooks])
)

const run = Command.run(cli, { name: "Partner API", version: packageJson.version })

/** What was typed wrong, in the one line that every failure gets and not as the document the framework prints. */
const inOneLine = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Effect.withConsole(program, { ...console, error: () => Effect.void }).pipe(
      Effect.mapError((error) =>
        ValidationError.isValidationError(error) ? { message: HelpDoc.toAnsiText(error.error) } : error
      )
    )
  )

NodeRuntime.runMain(
  Effect.zipRight(
    heedOneSignal,
    exitOnFailure(
      Effect.provide(
        inOneLine(run(process.argv)),
        Layer.mergeAll(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), LoggingLive)
      )
    )
  ),
  { disableErrorReporting: true, disablePrettyLogger: true }
)
