/*
 * Works around data folders that the server's account cannot enter: their cluster is elsewhere.
 */

import { Context, Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join, resolve } from "node:path"
import { makeFolder } from "../Folder.ts"
import { changeOwner, chooseTools, runAs, type Tools } from "./Account.ts"
import { EmbeddedPostgresFailed, formatReason, tryStep } from "./EmbeddedPostgresFailed.ts"

/** Paths of a cluster. */
export interface Cluster {
  /** Absolute path without links. */
  readonly dataDir: string
  /** `<dataDir>/postgres`, or the folder that `<dataDir>/postgres.location` names. */
  readonly home: string
  /** Data directory of PostgreSQL. */
  readonly data: string
  /** File with the password of the superuser, mode 0600. */
  readonly password: string
  readonly log: string
  /** True if only root can enter `dataDir`. The cluster is then elsewhere, with a copy of the binaries. */
  readonly isOutsideDataDir: boolean
}

/** Makes the paths of the cluster of `dataDir` with the files in `home`. */
export const makeCluster = (dataDir: string, home: string): Cluster => ({
  dataDir,
  home,
  data: join(home, "data"),
  password: join(home, "password"),
  log: join(dataDir, "postgres.log"),
  isOutsideDataDir: home !== join(dataDir, "postgres")
})

/** File with the path of a cluster outside `dataDir`. */
export const locationFile = (dataDir: string) => join(dataDir, "postgres.location")

/** Finds the cluster of the folder `path`. Neither needs to exist. */
export const findCluster = (path: string): Cluster => {
  const dataDir = existsSync(path) ? realpathSync(path) : resolve(path)
  const file = locationFile(dataDir)
  return makeCluster(dataDir, existsSync(file) ? readFileSync(file, "utf8").trim() : join(dataDir, "postgres"))
}

/** True if `initdb` has finished. Throws without access: the cluster of another account is not a missing one. */
export const isInitialized = ({ data }: Cluster) =>
  statSync(join(data, "PG_VERSION"), { throwIfNoEntry: false }) !== undefined

/** False in tests, whose data need not survive a crash of the machine. */
export const IsDurable = Context.Reference("layers/postgres/IsDurable", { defaultValue: () => true })

/** Fills the folder of a new cluster. */
type Fill = (tools: Tools, cluster: Cluster) => Effect.Effect<void, EmbeddedPostgresFailed>

const initdb: Fill = ({ account, binaries }, cluster) =>
  Effect.gen(function* () {
    yield* tryStep(`writing ${cluster.password}`, () =>
      writeFileSync(cluster.password, randomBytes(24).toString("base64url"), { mode: 0o600 })
    )
    yield* changeOwner(account, cluster.home)
    const { error, status, stderr, stdout } = runAs(account, join(binaries.folder, "initdb"), [
      `--pgdata=${cluster.data}`,
      "--username=postgres",
      `--pwfile=${cluster.password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-instructions",
      ...((yield* IsDurable) ? [] : ["--no-sync"])
    ])
    if (status === 0) return
    return yield* new EmbeddedPostgresFailed({ reason: `initdb failed: ${formatReason(error ?? (stderr || stdout))}` })
  })

/** Parent folder of clusters whose `dataDir` only root can enter. */
export const OUTSIDE_FOLDER = "/var/lib/partner-api"

/** File in a cluster outside its `dataDir` with the path of `dataDir`. `clusters list` reads it. */
export const ownerFile = (home: string) => join(home, "data-folder")

/** Records `dataDir` in its cluster. Clusters of earlier releases have no record, and a moved folder has an old one. */
const recordOwner = (dataDir: string, home: string) => {
  const file = ownerFile(home)
  const owner = `${dataDir}\n`
  if (!existsSync(file) || readFileSync(file, "utf8") !== owner) writeFileSync(file, owner)
}

/** Folder in `dataDir` while a backup is restored there. */
export const RESTORE_FOLDER = "restore.part"

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

/**
 * Fills a new folder and then publishes it as the cluster in one atomic step. A killed initialisation therefore leaves
 * no cluster behind. If two processes initialise at the same time, both use the cluster of the first.
 */
const create = (dataDir: string, home: string, isOutside: boolean, fill: Fill, publish: () => void) =>
  Effect.gen(function* () {
    yield* tryStep(`creating ${home}`, () => {
      if (isOutside) makeFolder(OUTSIDE_FOLDER)
      makeFolder(home)
      if (isOutside) recordOwner(dataDir, home)
    })
    yield* fill(yield* chooseTools(home, isOutside), makeCluster(dataDir, home))
    yield* tryStep("publishing the new cluster", () => {
      try {
        publish()
      } catch (error) {
        removeFolder(home)
        if (!isInitialized(findCluster(dataDir))) throw error
      }
    })
  }).pipe(Effect.onError(() => Effect.ignore(tryStep(`removing ${home}`, () => removeFolder(home)))))

const STAGING_PREFIX = "postgres.new-"

const createInside = (dataDir: string, fill: Fill) => {
  const home = join(dataDir, `${STAGING_PREFIX}${randomUUID()}`)
  return create(dataDir, home, false, fill, () => renameSync(home, join(dataDir, "postgres")))
}

const createOutside = (dataDir: string, fill: Fill) => {
  const home = join(OUTSIDE_FOLDER, randomUUID())
  return create(dataDir, home, true, fill, () => {
    const temporary = `${locationFile(dataDir)}.${randomUUID()}`
    writeFileSync(temporary, `${home}\n`)
    try {
      linkSync(temporary, locationFile(dataDir))
    } finally {
      rmSync(temporary)
    }
  })
}

/** Creates a cluster in the existing folder `dataDir`, or elsewhere if only root can enter it. */
export const createCluster = (dataDir: string, fill: Fill): Effect.Effect<void, EmbeddedPostgresFailed> =>
  createInside(dataDir, fill).pipe(
    Effect.catchTag("NoUsableAccount", (failure) =>
      process.getuid?.() === 0 ? createOutside(dataDir, fill) : failure
    ),
    Effect.catchTag("NoUsableAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
  )

/** True if an initialisation in `folder` was killed: it takes less than an hour. */
export const isStale = (folder: string): boolean => {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > 3_600_000
}

/** Deletes the folders of killed initialisations. */
const deleteStaleFolders = (dataDir: string) => {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(STAGING_PREFIX))) {
    if (isStale(join(dataDir, name))) removeFolder(join(dataDir, name))
  }
}

/** Finds the cluster of the folder `path`, or creates one. */
export const openCluster = (path: string): Effect.Effect<Cluster, EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const dataDir = yield* tryStep(`creating ${path}`, () => {
      makeFolder(path)
      return realpathSync(path)
    })
    const find = tryStep(`reading ${dataDir}`, () => {
      const cluster = findCluster(dataDir)
      return { cluster, isReady: isInitialized(cluster) }
    })
    const existing = yield* find
    if (existing.isReady) {
      const { home, isOutsideDataDir } = existing.cluster
      if (isOutsideDataDir) yield* tryStep(`writing ${ownerFile(home)}`, () => recordOwner(dataDir, home))
      return existing.cluster
    }
    if (existing.cluster.isOutsideDataDir) {
      const reason = `${locationFile(dataDir)} names ${existing.cluster.home}, which does not exist; delete the file to create a new cluster`
      return yield* new EmbeddedPostgresFailed({ reason })
    }
    yield* tryStep(`reading ${dataDir}`, () => deleteStaleFolders(dataDir))
    if (existsSync(join(dataDir, RESTORE_FOLDER))) {
      const reason = `${dataDir} holds an unfinished restore; wait for its end, or empty the folder and restore again`
      return yield* new EmbeddedPostgresFailed({ reason })
    }
    yield* createCluster(dataDir, initdb)
    return (yield* find).cluster
  })
