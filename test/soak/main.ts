import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit } from "effect"
import { rmSync } from "node:fs"
import { openConnection, databaseServer } from "../bench/database.ts"
import { describeMachine } from "../bench/measure/report.ts"
import { csvFiles } from "./csvFiles.ts"
import { deadEndpoint } from "./deadEndpoint.ts"
import { killedPrimaries } from "./failover.ts"
import { killedImports } from "./imports.ts"
import { killedWorkers } from "./kills.ts"
import { filledMigrations } from "./migrations.ts"
import { concurrentExchanges } from "./oauth.ts"
import { killedMoves } from "./moves.ts"
import { type Options, readOptions } from "./options.ts"
import { LOGS } from "./processes.ts"
import { properties } from "./properties.ts"
import { badEndpoints } from "./receivers.ts"
import { printLine, formatTable } from "./report.ts"

const RUN = {
  csv: (server: string, _: Options["sizes"], folder: string) => csvFiles(server, folder),
  kills: killedWorkers,
  receivers: badEndpoints,
  dead: deadEndpoint,
  failover: (_: string, sizes: Options["sizes"]) => killedPrimaries(sizes),
  imports: killedImports,
  migrations: filledMigrations,
  moves: (_: string, sizes: Options["sizes"]) => killedMoves(sizes),
  oauth: concurrentExchanges,
  properties
}

/** Runs the selected parts, prints the observed values, and returns true if every invariant holds. */
const program = Effect.gen(function* () {
  const { folder, parts, sizes } = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })
  const server = yield* databaseServer
  const about = yield* Effect.scoped(
    Effect.flatMap(openConnection(server), (db) => Effect.promise(() => describeMachine(db)))
  )
  yield* printLine(`${about}\n`)
  const invariants = (yield* Effect.forEach(parts, (part) => RUN[part](server, sizes, folder))).flat()
  yield* printLine(`\n${formatTable(invariants)}\n`)
  const hasRun = invariants.some(({ holds }) => holds !== null)
  const allHold = invariants.every(({ holds }) => holds !== false)
  if (allHold) rmSync(LOGS, { recursive: true, force: true })
  if (!hasRun) yield* printLine("Nothing was checked.")
  else yield* printLine(allHold ? "Every invariant held." : `An invariant failed. Logs of the processes: ${LOGS}`)
  return allHold
}).pipe(
  Effect.tapError((line) => printLine(String(line))),
  Effect.tapDefect((defect) => printLine(Cause.pretty(Cause.die(defect))))
)

NodeRuntime.runMain(Effect.scoped(program), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && exit.value ? 0 : 1)
})
