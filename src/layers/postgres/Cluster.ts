import { Effect } from "effect"
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
import { join } from "node:path"
import { makeFolder } from "../Folder.ts"
import { changeOwner, chooseTools, runAs, type Tools } from "./Account.ts"
import { EmbeddedPostgresFailed, formatReason, tryStep } from "./EmbeddedPostgresFailed.ts"

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
  readonly isOutsideDataDir: boolean
}

/** The cluster of `dataDir` with its files in `home`. */
export const makeCluster = (dataDir: string, home: string): Cluster => ({
  home,
  data: join(home, "data"),
  password: join(home, "password"),
  log: join(dataDir, "postgres.log"),
  isOutsideDataDir: home !== join(dataDir, "postgres")
})

/** The file that says where the cluster is, if not here. */
export const locationFile = (dataDir: string) => join(dataDir, "postgres.location")

/** Where the cluster of `dataDir` is, or would be. */
export const findCluster = (dataDir: string): Cluster => {
  const pointer = locationFile(dataDir)
  return makeCluster(dataDir, existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : join(dataDir, "postgres"))
}

/** Whether it was initialised. Throws where we may not look: another account's cluster is not a missing one. */
export const isInitialized = ({ data }: Cluster) =>
  statSync(join(data, "PG_VERSION"), { throwIfNoEntry: false }) !== undefined

const initdb = ({ account, binaries }: Tools, cluster: Cluster) =>
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
      "--no-instructions"
    ])
    if (status === 0) return
    return yield* new EmbeddedPostgresFailed({ reason: `initdb failed: ${formatReason(error ?? (stderr || stdout))}` })
  })

/** Where clusters go whose `dataDir` no account but root can enter. */
const outside = "/var/lib/partner-api"

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/**
 * A new cluster, made in a folder of its own and put in place by one atomic step, so that a killed initialisation is
 * never mistaken for a cluster, and of two at once the second uses the first one's.
 */
const create = (dataDir: string, home: string, isOutside: boolean, putInPlace: () => void) =>
  Effect.gen(function* () {
    yield* tryStep(`making ${home}`, () => {
      if (isOutside) makeFolder(outside)
      makeFolder(home)
    })
    yield* initdb(yield* chooseTools(home, isOutside), makeCluster(dataDir, home))
    yield* tryStep("putting the new cluster in place", () => {
      try {
        putInPlace()
      } catch (error) {
        remove(home)
        if (!isInitialized(findCluster(dataDir))) throw error
      }
    })
  }).pipe(Effect.tapError(() => Effect.ignore(tryStep(`removing ${home}`, () => remove(home)))))

const staging = "postgres.new-"

const createInside = (dataDir: string) => {
  const home = join(dataDir, `${staging}${randomUUID()}`)
  return create(dataDir, home, false, () => renameSync(home, join(dataDir, "postgres")))
}

const createOutside = (dataDir: string) => {
  const home = join(outside, randomUUID())
  return create(dataDir, home, true, () => {
    const written = `${locationFile(dataDir)}.${randomUUID()}`
    writeFileSync(written, `${home}\n`)
    try {
      linkSync(written, locationFile(dataDir))
    } finally {
      rmSync(written)
    }
  })
}

/** What an initialisation that was killed left behind. None takes an hour. */
const clearLeftovers = (dataDir: string) => {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(staging))) {
    const folder = join(dataDir, name)
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > 3_600_000) remove(folder)
  }
}

/** The cluster of the folder `path`, made if there is none. */
export const openCluster = (path: string): Effect.Effect<Cluster, EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const dataDir = yield* tryStep(`making ${path}`, () => {
      makeFolder(path)
      return realpathSync(path)
    })
    const look = tryStep(`reading ${dataDir}`, () => {
      const cluster = findCluster(dataDir)
      return { cluster, isReady: isInitialized(cluster) }
    })
    const found = yield* look
    if (found.isReady) return found.cluster
    if (found.cluster.isOutsideDataDir) {
      const reason = `${locationFile(dataDir)} names ${found.cluster.home}, which is gone; remove the file to begin anew`
      return yield* new EmbeddedPostgresFailed({ reason })
    }
    yield* tryStep(`reading ${dataDir}`, () => clearLeftovers(dataDir))
    yield* createInside(dataDir).pipe(
      Effect.catchTag("NoUsableAccount", (failure) => (process.getuid?.() === 0 ? createOutside(dataDir) : failure)),
      Effect.catchTag("NoUsableAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
    )
    return (yield* look).cluster
  })
