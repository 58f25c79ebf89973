/*
 * Works around clusters outside their data folders, which stay when the folder is deleted.
 */

import { Effect, Option, Schema } from "effect"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  findCluster,
  isInitialized,
  isStale,
  locationFile,
  makeCluster,
  OUTSIDE_FOLDER,
  ownerFile,
  removeFolder,
  type Cluster
} from "./Cluster.ts"
import { formatReason } from "./EmbeddedPostgresFailed.ts"
import { findRunningServer, readPassword, stopServer } from "./Postmaster.ts"
import { stopIfUnused } from "./UsageLock.ts"

/** A cluster of the embedded server on this machine. */
export interface ListedCluster {
  /** Folder of the cluster. */
  readonly cluster: string
  /** Its data folder; null without access, and for a cluster of an earlier release that has not started since. */
  readonly dataFolder: string | null
  /** `new` while it is created, `abandoned` if no data folder refers to it. */
  readonly state: "used" | "new" | "abandoned" | "unknown"
  /** Process id of its running server. */
  readonly pid: number | null
}

/** The clusters of this machine cannot be listed, or one cannot be deleted. */
export class ClusterFailed extends Schema.TaggedError<ClusterFailed>()("ClusterFailed", { message: Schema.String }) {}

const attempt = <A>(step: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (thrown) => new ClusterFailed({ message: `${step}: ${formatReason(thrown)}` })
  })

/** Reads a file. Only a missing file is `none`: without access, a used cluster would look abandoned. */
const readIfExists = (file: string): Option.Option<string> =>
  statSync(file, { throwIfNoEntry: false }) === undefined
    ? Option.none()
    : Option.some(readFileSync(file, "utf8").trim())

const stateOf = (home: string, dataFolder: string | null): ListedCluster["state"] => {
  if (dataFolder === null) return "unknown"
  if (Option.contains(readIfExists(locationFile(dataFolder)), home)) return "used"
  const isCreating = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined && !isStale(home)
  return isCreating ? "new" : "abandoned"
}

const withServer = (cluster: Cluster, dataFolder: string | null, state: ListedCluster["state"]) =>
  Effect.map(findRunningServer(cluster), (server): ListedCluster => ({
    cluster: cluster.home,
    dataFolder,
    state,
    pid: Option.match(server, { onNone: () => null, onSome: ({ pid }) => pid })
  }))

const listOutside = Effect.gen(function* () {
  const homes = yield* attempt(`reading ${OUTSIDE_FOLDER}`, () =>
    statSync(OUTSIDE_FOLDER, { throwIfNoEntry: false }) === undefined
      ? []
      : readdirSync(OUTSIDE_FOLDER).map((name) => join(OUTSIDE_FOLDER, name))
  )
  return yield* Effect.forEach(homes, (home) =>
    attempt(`reading ${home}`, () => {
      const dataFolder = Option.getOrNull(readIfExists(ownerFile(home)))
      return { dataFolder, state: stateOf(home, dataFolder) }
    }).pipe(
      Effect.flatMap(({ dataFolder, state }) => withServer(makeCluster(dataFolder ?? home, home), dataFolder, state)),
      // Another account cannot read a data folder or its cluster.
      Effect.orElseSucceed((): ListedCluster => ({ cluster: home, dataFolder: null, state: "unknown", pid: null }))
    )
  )
})

/** Lists the cluster of `dataDir` and all clusters outside their data folders. */
export const listClusters = Effect.fn("Clusters.list")(function* (dataDir: string) {
  const outside = yield* listOutside
  const cluster = yield* attempt(`reading ${dataDir}`, () => findCluster(dataDir))
  const isInside = yield* attempt(`reading ${cluster.data}`, () => !cluster.isOutsideDataDir && isInitialized(cluster))
  return isInside ? [yield* withServer(cluster, cluster.dataDir, "used"), ...outside] : outside
})

const refusals: Readonly<Record<Exclude<ListedCluster["state"], "abandoned">, string>> = {
  used: "its data folder still exists; delete that folder first",
  new: "it is being created; try again in an hour",
  unknown:
    "its data folder is not recorded, or this account cannot read it; run as root, or start each server once to record its folder"
}

/** Deletes a cluster whose data folder is gone, and stops its server. Fails while a process uses the server. */
export const deleteCluster = Effect.fn("Clusters.delete")(function* (home: string) {
  const fail = (reason: string) => new ClusterFailed({ message: `${home} is not deleted: ${reason}` })
  const found = (yield* listOutside).find(({ cluster }) => cluster === home)
  if (found === undefined) return yield* fail(`it is no cluster in ${OUTSIDE_FOLDER}; see: partner-api clusters list`)
  if (found.state !== "abandoned") return yield* fail(refusals[found.state])
  const cluster = makeCluster(found.dataFolder ?? home, home)
  const server = yield* findRunningServer(cluster)
  if (Option.isSome(server)) {
    const url = (yield* readPassword(cluster))(server.value)
    const isStopped = yield* stopIfUnused(url, stopServer(cluster)).pipe(
      Effect.catchTag("ServerNotReady", ({ reason }) => fail(`its server does not accept connections: ${reason}`))
    )
    if (!isStopped) return yield* fail(`a process uses its server (${server.value.pid}); stop that process first`)
  }
  yield* attempt(`deleting ${home}`, () => removeFolder(home))
})
