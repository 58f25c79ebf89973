import { Effect } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import { release } from "../domain/Release.ts"
import { reportFailure } from "../Startup.ts"
import { presented } from "./Invocation.ts"
import { withHelp } from "./Options.ts"

/** The program of the server has no commands: without arguments it starts the server. */
const program = Command.make("node dist/main.js").pipe(
  withHelp({
    summary: "Start the server of the Partner API",
    details:
      "It takes no arguments. Its settings are environment variables: docs/configuration.md lists them. For the commands of operators, see: partner-api --help",
    examples: [""]
  })
)

const run = Command.runWith(program, { version: release })

/** Prints the help or the version of the server, or fails with a usage error. Starts nothing. */
export const serverProgram = (args: ReadonlyArray<string>) =>
  presented(program, run(args)).pipe(
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })),
    reportFailure
  )
