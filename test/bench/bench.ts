import { NodeRuntime } from "@effect/platform-node"
import { Data, Duration, Effect } from "effect"
import { Command } from "effect/cli"
import { presented } from "../../src/cli/Invocation.ts"
import { release } from "../../src/domain/Release.ts"
import { reportFailure } from "../../src/Startup.ts"
import { ageing } from "./scenarios/ageing.ts"
import { Output, printLine } from "./output.ts"
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
import { config, DESCRIPTION, EXAMPLES, LIMIT_MINUTES, type Mode, type Options, optionsOf } from "./options.ts"
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

/** A bound was missed, a benchmark took too long, or its options contradict. */
class BenchFailed extends Data.TaggedError("BenchFailed")<{ readonly message: string }> {}

/** Part of the limit in which the database starts, and processes and databases end. */
const START_AND_CLEANUP = Duration.seconds(20)

const runMode = (mode: Mode, server: string, options: Options) => {
  const run = RUN[mode](server, options)
  if (!options.isLimited) return run
  const message = `${mode} did not end within ${LIMIT_MINUTES} minutes. The printed rows are complete. Use --full to run without a limit.`
  return Effect.timeoutOrElse(run, {
    duration: Duration.subtract(Duration.minutes(LIMIT_MINUTES), START_AND_CLEANUP),
    orElse: () => Effect.fail(new BenchFailed({ message }))
  })
}

/** Runs the selected benchmarks. Fails if a bound was missed. */
const command = Command.make(
  "bench",
  config,
  Effect.fnUntraced(
    function* (input) {
      if (input.quick && input.full) return yield* new BenchFailed({ message: "Use --quick or --full, not both" })
      const options = optionsOf(input)
      const server = yield* databaseServer
      const about = yield* Effect.scoped(
        Effect.flatMap(openConnection(server), (db) => Effect.promise(() => describeMachine(db)))
      )
      yield* printLine(about)
      yield* Effect.forEach(options.modes, (mode) => runMode(mode, server, options), { discard: true })
      const missed = yield* Output.use((output) => output.missed)
      if (missed.length > 0)
        return yield* new BenchFailed({
          message: `Missed ${missed.length === 1 ? "one bound" : `${missed.length} bounds`}: ${missed.join("; ")}`
        })
    },
    Effect.provide(Output.layer),
    Effect.scoped
  )
).pipe(
  Command.withDescription(DESCRIPTION),
  Command.withExamples([
    ...EXAMPLES,
    { command: "npm run bench -- speed --full" },
    { command: "npm run bench -- webhooks drain" },
    { command: "npm run bench -- all --quick" }
  ])
)

/** Runs the benchmarks. The scope ends all processes, also on an error or signal. */
export const bench = (): void => {
  const run = Command.runWith(command, { version: release })(process.argv.slice(2))
  NodeRuntime.runMain(reportFailure(presented(command, run)), { disableErrorReporting: true })
}
