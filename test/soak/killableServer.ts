import { Effect, Option, Redacted, type Scope } from "effect"
import { findCluster } from "../../src/layers/postgres/Cluster.ts"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { findServer } from "../../src/layers/postgres/Postmaster.ts"
import { openConnection, temporaryDirectory } from "../bench/database.ts"
import { attempt, isThere, startAgain } from "../support/postgres/Postmasters.ts"
import { childrenOf, signal, waitFor } from "./patroni.ts"

/** A PostgreSQL server that can be killed with all its processes, and started again. */
export interface KillableServer {
  readonly url: string
  readonly kill: Effect.Effect<void>
  /** Starts it on the same port, and waits for its recovery. */
  readonly start: Effect.Effect<void>
}

/** Settings of a cell. A subscriber connects again after a second, not after five. */
const SETTINGS = {
  wal_level: "logical",
  max_replication_slots: "20",
  max_wal_senders: "20",
  max_logical_replication_workers: "12",
  max_worker_processes: "20",
  max_active_replication_origins: "20",
  wal_retrieve_retry_interval: "1s"
}

/** Starts a durable server on loopback that replicates by logical decoding, until the scope ends. */
export const killableServer: Effect.Effect<KillableServer, never, Scope.Scope> = Effect.gen(function* () {
  const dataDir = yield* temporaryDirectory
  const url = Redacted.value(yield* Effect.orDie(embeddedPostgres({ dataDir, isDurable: true })))
  const cluster = findCluster(dataDir)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const db = yield* openConnection(url)
      for (const [name, value] of Object.entries(SETTINGS)) {
        yield* Effect.promise(() => db.query(`alter system set ${name} = '${value}'`))
      }
    })
  )
  const kill = Effect.gen(function* () {
    const found = yield* Effect.orDie(findServer(dataDir))
    if (Option.isNone(found)) return
    const pids = [found.value.pid, ...childrenOf(found.value.pid)]
    pids.forEach((pid) => signal(pid, "SIGKILL"))
    yield* waitFor(
      "the end of a server",
      Effect.sync(() => (pids.some(isThere) ? undefined : true))
    )
  })
  const start = Effect.gen(function* () {
    startAgain(cluster)
    yield* waitFor("a server", attempt(url, "select 1"))
  })
  yield* kill
  yield* start
  return { url, kill, start }
})
