import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** A cluster's files, the server's log included. */
export interface Cluster {
  /** `<dataDir>/postgres`, or the folder that `<dataDir>/postgres.location` names. */
  readonly home: string
  /** PostgreSQL's own folder. */
  readonly data: string
  /** The file that holds the superuser's password, 0600. */
  readonly password: string
  readonly log: string
  /** Kept outside `dataDir`, with a copy of the binaries, since no account but root can enter `dataDir`. */
  readonly isElsewhere: boolean
}

/** The cluster of `dataDir` with its files in `home`. */
export const clusterAt = (dataDir: string, home: string): Cluster => ({
  home,
  data: join(home, "data"),
  password: join(home, "password"),
  log: join(dataDir, "postgres.log"),
  isElsewhere: home !== join(dataDir, "postgres")
})

/** The file that says where the cluster is, if not here. */
export const pointerOf = (dataDir: string) => join(dataDir, "postgres.location")

/** Where the cluster of `dataDir` is, or would be. */
export const findCluster = (dataDir: string): Cluster => {
  const pointer = pointerOf(dataDir)
  return clusterAt(dataDir, existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : join(dataDir, "postgres"))
}

/** Whether it was initialised. Throws where we may not look: another account's cluster is not a missing one. */
export const isMade = ({ data }: Cluster) => statSync(join(data, "PG_VERSION"), { throwIfNoEntry: false }) !== undefined
