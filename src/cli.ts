#!/usr/bin/env node
import { CliConfig, Command, HelpDoc, ValidationError } from "@effect/cli"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { defaultTeardown } from "@effect/platform/Runtime"
import packageJson from "../package.json" with { type: "json" }
import { apps } from "./cli/Apps.ts"
import { developers } from "./cli/Developers.ts"
import { exportings } from "./cli/Export.ts"
import { imports } from "./cli/import/Import.ts"
import { installations } from "./cli/Installations.ts"
import { readable } from "./cli/Help.ts"
import { webhooks } from "./cli/Listen.ts"
import { merchants } from "./cli/Merchants.ts"
import { migrate, plans, stores } from "./cli/Stores.ts"
import { worker } from "./cli/Worker.ts"
import { LoggingAsideLive, LoggingLive } from "./layers/Logging.ts"
import { exitOnFailure, heedOneSignal } from "./Startup.ts"

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

const forPeople = readable(NAME, process.argv.slice(2))

/** A worker is a service, and its log all that it prints. Of the other commands standard output is what was asked for. */
const Logging = process.argv[2] === "worker" ? LoggingLive : LoggingAsideLive

/** Help that fits the terminal, and what was typed wrong in the one line that every failure gets. */
const inFewWords = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Effect.withConsole(program, {
      ...console,
      log: (...texts) => console.log(...texts.map(forPeople)),
      error: () => Effect.void
    }).pipe(
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
        inFewWords(run(process.argv)),
        Layer.mergeAll(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }), Logging)
      )
    )
  ),
  {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    // A command that was stopped may have said that this is no success.
    teardown: (exit, end) => defaultTeardown(exit, (code) => end(code === 0 ? Number(process.exitCode ?? 0) : code))
  }
)
