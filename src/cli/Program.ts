import { Effect } from "effect"
import { Command } from "effect/cli"
import { release } from "../domain/Release.ts"
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
import { importCommands } from "./import/Import.ts"
import { installations } from "./Installations.ts"
import { presented } from "./Invocation.ts"
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

const run = Command.runWith(program, { version: release })

/** A worker logs to standard output, like a server. Other commands print their result there. */
const loggingOf = ([command]: ReadonlyArray<string>) => (command === "worker" ? LoggingLive : StderrLoggingLive)

/** Runs the command that the arguments name. */
export const partnerApi = (args: ReadonlyArray<string>) =>
  presented(program, run(args)).pipe(Effect.provide(loggingOf(args)), reportFailure)
