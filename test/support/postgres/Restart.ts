import { Effect, Option, Redacted, type Scope } from "effect"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { findCluster } from "../../../src/layers/postgres/Cluster.ts"
import { carelessDataFolder } from "./DataFolder.ts"
import { attempt, isThere, startAgain } from "./Postmasters.ts"
import { findServer } from "../../../src/layers/postgres/Postmaster.ts"

const pause = Effect.sleep("10 millis")

export interface Restartable {
  readonly url: string
  /** Stops the server in immediate mode, like a crash, starts it on the same port, and waits for its recovery. */
  readonly restart: Effect.Effect<void>
}

/** A PostgreSQL that a test can restart. Its commits survive that, but not a crash of the machine. */
export const restartable: Effect.Effect<Restartable, never, Scope.Scope> = Effect.gen(function* () {
  const dataDir = yield* carelessDataFolder
  const url = Redacted.value(yield* Effect.orDie(embeddedPostgres({ dataDir })))
  const cluster = findCluster(dataDir)
  const restart = Effect.gen(function* () {
    const { pid } = Option.getOrThrow(yield* Effect.orDie(findServer(dataDir)))
    process.kill(pid, "SIGQUIT")
    yield* Effect.repeat(pause, { while: () => isThere(pid) })
    startAgain(cluster)
    yield* Effect.repeat(Effect.andThen(pause, attempt(url, "select 1")), { until: (rows) => rows !== undefined })
  })
  return { url, restart }
})
