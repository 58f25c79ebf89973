import { Effect } from "effect"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { findCluster, IsDurable, openCluster } from "../../../src/layers/postgres/Cluster.ts"
import { stopServer } from "../../../src/layers/postgres/Postmaster.ts"
import { temporaryFolder } from "../process/Process.ts"

/** Stops the server of a data folder and deletes its cluster, which is elsewhere if only root can enter the clone. */
const deleteClusterOf = (dataDir: string) =>
  Effect.gen(function* () {
    const cluster = findCluster(dataDir)
    yield* Effect.orDie(stopServer(cluster))
    rmSync(cluster.home, { recursive: true, force: true })
  })

/**
 * Path of a new data folder of the embedded database. Its cluster is deleted even if the test left the server running.
 */
export const dataFolder = Effect.acquireRelease(
  Effect.map(temporaryFolder, (parent) => join(parent, "data")),
  deleteClusterOf
)

/** A {@link dataFolder} with an empty cluster that does not wait for the disk, in any process. Its restored copies neither. */
export const carelessDataFolder = Effect.tap(dataFolder, (dataDir) =>
  openCluster(dataDir).pipe(
    Effect.provideService(IsDurable, false),
    Effect.map(({ data }) => appendFileSync(join(data, "postgresql.conf"), "fsync = off\n")),
    Effect.orDie
  )
)
