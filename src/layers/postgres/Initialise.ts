import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { linkSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../Folder.ts"
import { chooseTools, own, runAs, type Tools } from "./Account.ts"
import { type Cluster, clusterAt, findCluster, isMade, pointerOf } from "./Cluster.ts"
import { attempt, EmbeddedPostgresFailed, reasonOf } from "./Failed.ts"

const initdb = ({ account, binaries }: Tools, cluster: Cluster) =>
  Effect.gen(function* () {
    yield* attempt(`writing ${cluster.password}`, () =>
      writeFileSync(cluster.password, randomBytes(24).toString("base64url"), { mode: 0o600 })
    )
    yield* own(account, cluster.home)
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
    return yield* new EmbeddedPostgresFailed({ reason: `initdb failed: ${reasonOf(error ?? (stderr || stdout))}` })
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
    yield* attempt(`making ${home}`, () => {
      if (isOutside) makeFolder(outside)
      makeFolder(home)
    })
    yield* initdb(yield* chooseTools(home, isOutside), clusterAt(dataDir, home))
    yield* attempt("putting the new cluster in place", () => {
      try {
        putInPlace()
      } catch (error) {
        remove(home)
        if (!isMade(findCluster(dataDir))) throw error
      }
    })
  }).pipe(Effect.tapError(() => Effect.ignore(attempt(`removing ${home}`, () => remove(home)))))

const staging = "postgres.new-"

const createInside = (dataDir: string) => {
  const home = join(dataDir, `${staging}${randomUUID()}`)
  return create(dataDir, home, false, () => renameSync(home, join(dataDir, "postgres")))
}

const createOutside = (dataDir: string) => {
  const home = join(outside, randomUUID())
  return create(dataDir, home, true, () => {
    const written = `${pointerOf(dataDir)}.${randomUUID()}`
    writeFileSync(written, `${home}\n`)
    try {
      linkSync(written, pointerOf(dataDir))
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
    const dataDir = yield* attempt(`making ${path}`, () => {
      makeFolder(path)
      return realpathSync(path)
    })
    const look = attempt(`reading ${dataDir}`, () => {
      const cluster = findCluster(dataDir)
      return { cluster, isReady: isMade(cluster) }
    })
    const found = yield* look
    if (found.isReady) return found.cluster
    if (found.cluster.isElsewhere) {
      const reason = `${pointerOf(dataDir)} names ${found.cluster.home}, which is gone; remove the file to begin anew`
      return yield* new EmbeddedPostgresFailed({ reason })
    }
    yield* attempt(`reading ${dataDir}`, () => clearLeftovers(dataDir))
    yield* createInside(dataDir).pipe(
      Effect.catchTag("NoAccount", (noAccount) => (process.getuid?.() === 0 ? createOutside(dataDir) : noAccount)),
      Effect.catchTag("NoAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
    )
    return (yield* look).cluster
  })
