import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit } from "effect"
import { rmSync } from "node:fs"
import { connection, databaseServer } from "../bench/cluster.ts"
import { machine } from "../bench/report.ts"
import { changes } from "./changes.ts"
import { dead } from "./dead.ts"
import { imports } from "./imports.ts"
import { kills } from "./kills.ts"
import { oauth } from "./oauth.ts"
import { readOptions } from "./options.ts"
import { LOGS } from "./processes.ts"
import { properties } from "./properties.ts"
import { receivers } from "./receivers.ts"
import { say, table } from "./report.ts"

const RUN = { kills, receivers, dead, imports, changes, oauth, properties }

/** Runs what was asked for, prints what was seen, and answers whether every invariant held. */
const program = Effect.gen(function* () {
  const { parts, sizes } = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })
  const server = yield* databaseServer
  const about = yield* Effect.scoped(Effect.flatMap(connection(server), (db) => Effect.promise(() => machine(db))))
  yield* say(`${about}\n`)
  const invariants = (yield* Effect.forEach(parts, (part) => RUN[part](server, sizes))).flat()
  yield* say(`\n${table(invariants)}\n`)
  const held = invariants.every(({ held }) => held !== false)
  if (held) rmSync(LOGS, { recursive: true, force: true })
  yield* say(held ? "Every invariant held." : `Not every invariant held. What the processes said: ${LOGS}`)
  return held
}).pipe(
  Effect.tapError((line) => say(String(line))),
  Effect.tapDefect((defect) => say(Cause.pretty(Cause.die(defect))))
)

NodeRuntime.runMain(Effect.scoped(program), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) && exit.value ? 0 : 1)
})
