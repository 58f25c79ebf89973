import { NodeRuntime } from "@effect/platform-node"
import { Effect, Exit } from "effect"
import { ageing } from "./ageing.ts"
import { say } from "./arena.ts"
import { changes } from "./changes.ts"
import { connection, databaseServer } from "./cluster.ts"
import { imports } from "./imports.ts"
import { memory } from "./memory.ts"
import { million } from "./million.ts"
import { neighbours } from "./neighbours.ts"
import { pages } from "./pages.ts"
import { readOptions } from "./options.ts"
import { machine } from "./report.ts"
import { speed, writes } from "./speed.ts"
import { surfaces } from "./surfaces.ts"
import { tokens } from "./tokens.ts"
import { webhooks } from "./webhooks/webhooks.ts"

const RUN = {
  speed,
  writes,
  memory,
  million,
  ageing,
  neighbours,
  changes,
  import: imports,
  pages,
  surfaces,
  tokens,
  webhooks
}

/** Runs what was asked for and answers whether every target was reached. */
const program = Effect.gen(function* () {
  const options = yield* Effect.try(() => readOptions(process.argv.slice(2)))
  const server = yield* databaseServer
  const about = yield* Effect.scoped(Effect.flatMap(connection(server), (db) => Effect.promise(() => machine(db))))
  yield* say(`${about}\n`)
  const reached = yield* Effect.forEach(options.modes, (mode) => RUN[mode](server, options))
  return reached.every(Boolean)
})

/**
 * Everything that was started ends with the scope: when all is done, on an error, and on a signal. Exits with 0 only
 * when it ran to its end and every target was reached.
 */
export const bench = (): void =>
  NodeRuntime.runMain(Effect.scoped(program), {
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && exit.value === true ? 0 : 1)
  })
