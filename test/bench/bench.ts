import { NodeRuntime } from "@effect/platform-node"
import { Data, Effect } from "effect"
import { Command } from "effect/cli"
import { presented } from "../../src/cli/Invocation.ts"
import { release } from "../../src/domain/Release.ts"
import { reportFailure } from "../../src/Startup.ts"
import { ageing } from "./scenarios/ageing.ts"
import { printLine } from "./serverPair.ts"
import { changeSets } from "./scenarios/changeSets.ts"
import { changes } from "./scenarios/changes.ts"
import { openConnection, databaseServer } from "./database.ts"
import { feed } from "./scenarios/feed.ts"
import { imports } from "./scenarios/imports.ts"
import { lists } from "./scenarios/lists.ts"
import { memory, memorySoak } from "./scenarios/memory.ts"
import { largeStore } from "./scenarios/largeStore.ts"
import { neighbours } from "./scenarios/neighbours.ts"
import { pages } from "./scenarios/pages.ts"
import { config, optionsOf } from "./options.ts"
import { describeMachine } from "./measure/report.ts"
import { scale } from "./scenarios/scale.ts"
import { speed, writes } from "./scenarios/speed.ts"
import { surfaces } from "./scenarios/surfaces.ts"
import { tokens } from "./scenarios/tokens.ts"
import { webhooks } from "./webhooks/webhooks.ts"

const RUN = {
  speed,
  writes,
  memory,
  "memory-soak": memorySoak,
  million: largeStore,
  lists,
  ageing,
  neighbours,
  changes,
  "change-sets": changeSets,
  feed,
  import: imports,
  pages,
  scale,
  surfaces,
  tokens,
  webhooks
}

/** A benchmark missed a target. */
class TargetMissed extends Data.TaggedError("TargetMissed")<{ readonly message: string }> {}

/** Runs the selected benchmarks. Fails if a target was missed. */
const command = Command.make(
  "bench",
  config,
  Effect.fnUntraced(function* (input) {
    const options = optionsOf(input)
    const server = yield* databaseServer
    const about = yield* Effect.scoped(
      Effect.flatMap(openConnection(server), (db) => Effect.promise(() => describeMachine(db)))
    )
    yield* printLine(`${about}\n`)
    const reached = yield* Effect.forEach(options.modes, (mode) => RUN[mode](server, options))
    if (!reached.every(Boolean)) yield* new TargetMissed({ message: "A target was missed; the rows above name it" })
  }, Effect.scoped)
).pipe(
  Command.withDescription("Measure the service against its targets. Exits with 0 if all were reached"),
  Command.withExamples([{ command: "npm run bench -- speed --quick" }, { command: "npm run bench -- webhooks drain" }])
)

/** Runs the benchmarks. The scope ends all processes, also on an error or signal. */
export const bench = (): void => {
  const run = Command.runWith(command, { version: release })(process.argv.slice(2))
  NodeRuntime.runMain(reportFailure(presented(command, run)), { disableErrorReporting: true })
}
