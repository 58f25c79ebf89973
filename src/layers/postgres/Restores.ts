import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { makeFolder } from "../Folder.ts"
import { changeOwner } from "./Account.ts"
import {
  attempt,
  BackupFailed,
  CLUSTER,
  CONCURRENCY,
  copyFile,
  type Manifest,
  MANIFEST_FILE,
  ManifestDocument,
  type Progress,
  type Show,
  type StoredFile,
  sumBytes,
  summaryOf,
  syncFolders
} from "./BackupFiles.ts"
import { openSession, toFailure } from "./BackupSession.ts"
import { createCluster, findCluster, IsDurable, removeFolder, RESTORE_FOLDER } from "./Cluster.ts"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"

const readManifest = (backup: string) =>
  attempt(`${backup} is no complete backup: ${MANIFEST_FILE}`, () =>
    ManifestDocument.parse(readFileSync(join(backup, MANIFEST_FILE), "utf8"))
  )

/** Compares a file of a backup with the manifest and copies it to `to`, if given. */
const readStored = Effect.fnUntraced(function* (
  backup: string,
  { bytes, path, sha256 }: StoredFile,
  to: string | undefined,
  progress: Progress
) {
  const found = yield* copyFile(join(backup, path), to, progress)
  if (found?.sha256 === sha256 && found.bytes === bytes) return
  const problem = found === undefined ? "is missing" : "is damaged"
  return yield* new BackupFailed({ message: `${path} of the backup ${problem}; use another backup` })
})

/** Creates a cluster from a backup. `beside` handles the other files before the cluster is published. */
const restoreCluster = (
  backup: string,
  { files, folders }: Manifest,
  dataDir: string,
  progress: Progress,
  beside: Effect.Effect<void, BackupFailed>
) =>
  createCluster(dataDir, ({ account }, cluster) =>
    Effect.gen(function* () {
      const inside = folders.filter((path) => path.startsWith(CLUSTER)).map((path) => path.slice(CLUSTER.length))
      yield* attempt(`creating ${cluster.data}`, () => {
        for (const path of inside) mkdirSync(join(cluster.home, path), { recursive: true, mode: 0o700 })
      })
      yield* Effect.forEach(
        files.filter(({ path }) => path.startsWith(CLUSTER)),
        (file) => readStored(backup, file, join(cluster.home, file.path.slice(CLUSTER.length)), progress),
        { concurrency: CONCURRENCY, discard: true }
      )
      yield* syncFolders(cluster.home, inside)
      yield* changeOwner(account, cluster.home).pipe(Effect.mapError(toFailure))
      yield* beside
    }).pipe(Effect.mapError(({ message }) => new EmbeddedPostgresFailed({ reason: message })))
  )

const Checked = Schema.Struct({ stores: Schema.Int })

/** Compares all files with the manifest, starts the database on a temporary copy, and counts its stores. */
export const verifyBackup = Effect.fn("Backups.verify")(
  function* (source: string, show: Show) {
    const backup = resolve(source)
    const manifest = yield* readManifest(backup)
    const progress = { files: 0, bytes: 0, total: sumBytes(manifest.files) }
    yield* show(progress)
    yield* Effect.forEach(
      manifest.files.filter(({ path }) => !path.startsWith(CLUSTER)),
      (file) => readStored(backup, file, undefined, progress),
      { concurrency: CONCURRENCY, discard: true }
    )
    const { stores } = yield* Effect.acquireUseRelease(
      attempt("creating a temporary folder", () => {
        const folder = join(tmpdir(), `partner-api-verify-${randomUUID()}`)
        makeFolder(folder)
        return realpathSync(folder)
      }),
      Effect.fnUntraced(
        function* (copy) {
          yield* restoreCluster(backup, manifest, copy, progress, Effect.void)
          const query = yield* openSession(copy)
          const [checked] = yield* query(Checked, "select count(*)::integer as stores from stores")
          return checked
        },
        Effect.scoped,
        Effect.provideService(IsDurable, false)
      ),
      (copy) =>
        Effect.ignore(
          attempt(`deleting ${copy}`, () => {
            removeFolder(findCluster(copy).home)
            removeFolder(copy)
          })
        )
    )
    return { ...summaryOf(backup, manifest), stores }
  },
  Effect.scoped,
  Effect.mapError(toFailure)
)

/** Copies a backup to a data folder that is empty or does not exist. The database appears last. */
export const restoreBackup = Effect.fn("Backups.restore")(
  function* (source: string, target: string, show: Show) {
    const backup = resolve(source)
    const manifest = yield* readManifest(backup)
    const isNew = !existsSync(target)
    const dataDir = yield* attempt(`creating ${target}`, () => {
      makeFolder(target)
      return realpathSync(target)
    })
    // The root of a mounted volume can have this folder.
    const existing = yield* attempt(`reading ${dataDir}`, () =>
      readdirSync(dataDir).filter((name) => name !== "lost+found")
    )
    if (existing.length > 0) {
      return yield* new BackupFailed({
        message: `${dataDir} is not empty (${existing[0]}); set DATA_DIR to a new or empty folder`
      })
    }
    const stage = join(dataDir, RESTORE_FOLDER)
    const progress = { files: 0, bytes: 0, total: sumBytes(manifest.files) }
    yield* show(progress)
    const files = manifest.files.filter(({ path }) => !path.startsWith(CLUSTER))
    const folders = manifest.folders.filter((path) => !`${path}/`.startsWith(CLUSTER))
    const names = new Set([...folders, ...files.map(({ path }) => path)].map((path) => path.replace(/\/.*/, "")))

    const beside = Effect.gen(function* () {
      yield* attempt(`creating ${stage}`, () => {
        for (const path of folders) mkdirSync(join(stage, path), { recursive: true, mode: 0o700 })
      })
      yield* Effect.forEach(files, (file) => readStored(backup, file, join(stage, file.path), progress), {
        concurrency: CONCURRENCY,
        discard: true
      })
      yield* syncFolders(stage, folders)
      yield* attempt(`writing ${dataDir}`, () => {
        for (const name of names) renameSync(join(stage, name), join(dataDir, name))
      })
    })
    yield* Effect.acquireUseRelease(
      attempt(`creating ${stage}`, () => mkdirSync(stage, { mode: 0o700 })),
      () => restoreCluster(backup, manifest, dataDir, progress, beside),
      (_, exit) =>
        Effect.ignore(
          attempt(`cleaning ${dataDir}`, () => {
            removeFolder(stage)
            if (exit._tag === "Success") return
            for (const name of names) removeFolder(join(dataDir, name))
            if (isNew) rmdirSync(dataDir)
          })
        )
    )
    yield* syncFolders(dataDir, [])
    return { ...summaryOf(backup, manifest), dataDir }
  },
  Effect.scoped,
  Effect.mapError(toFailure)
)
