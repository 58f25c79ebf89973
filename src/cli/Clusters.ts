import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { argument, group, json, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

/** Imported when a command runs. These commands need no database. */
const importClusters = Effect.promise(() => import("../layers/postgres/Clusters.ts"))
const importConfig = Effect.promise(() => import("../layers/DatabaseConfig.ts"))

const list = Command.make(
  "list",
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const { listClusters } = yield* importClusters
    const { dataDir } = yield* importConfig
    const rows = yield* listClusters(yield* dataDir)
    yield* printList(
      json,
      "clusters",
      rows.map((row) => ({ ...row }))
    )
  })
).pipe(
  withHelp({
    summary: "List the clusters of the embedded database on this machine",
    details:
      "Shows the cluster of DATA_DIR, and all clusters of folders that only root can enter. An abandoned cluster has no data folder.",
    examples: ["", "--json"]
  })
)

const cluster = argument("cluster", Schema.String, "Folder of the cluster, from: clusters list")

const remove = Command.make(
  "delete",
  { cluster, json },
  Effect.fnUntraced(function* ({ cluster, json }) {
    const { deleteCluster } = yield* importClusters
    yield* deleteCluster(cluster)
    yield* print(json, { cluster, deleted: true })
  })
).pipe(
  withHelp({
    summary: "Delete an abandoned cluster of the embedded database",
    details:
      "Stops its server first. A cluster is abandoned if its data folder is gone. Mount missing volumes, and start the server of a moved folder, before you delete: all data of the cluster is lost.",
    examples: ["/var/lib/partner-api/<id>"]
  })
)

export const clusters = group("clusters", "Manage clusters of the embedded database").pipe(
  Command.withSubcommands([list, remove])
)
