import { NodeRuntime } from "@effect/platform-node"
import { Effect, Exit } from "effect"
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
import { readOptions } from "./options.ts"
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

/** Runs the selected benchmarks and returns true if every target was reached. */
const program = Effect.gen(function* () {
  const options = yield* Effect.try(() => readOptions(process.argv.slice(2)))
  const server = yield* databaseServer
  const about = yield* Effect.scoped(
    Effect.flatMap(openConnection(server), (db) => Effect.promise(() => describeMachine(db)))
  )
  yield* printLine(`${about}\n`)
  const reached = yield* Effect.forEach(options.modes, (mode) => RUN[mode](server, options))
  return reached.every(Boolean)
})

/**
 * Runs the benchmarks. The scope ends all processes, also on an error or signal. Exits with 0 only if all benchmarks
 * finished and every target was reached.
 */
export const bench = (): void =>
  NodeRuntime.runMain(Effect.scoped(program), {
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && exit.value === true ? 0 : 1)
  })
