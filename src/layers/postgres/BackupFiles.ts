import { Effect, Schema, type Scope } from "effect"
import { createHash } from "node:crypto"
import { lstatSync, readdirSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { syncPath } from "../Folder.ts"
import { IsDurable } from "./Cluster.ts"
import { formatReason } from "./EmbeddedPostgresFailed.ts"

/** A backup cannot be created, verified or restored. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { message: Schema.String }) {}

/** Runs a function that may throw. `step` describes it in the error. */
export const attempt = <A>(step: string, run: () => A): Effect.Effect<A, BackupFailed> =>
  Effect.try({ try: run, catch: (thrown) => new BackupFailed({ message: `${step}: ${formatReason(thrown)}` }) })

/** Path below the backup, with slashes. It cannot leave the folder. */
const Path = Schema.String.check(Schema.isPattern(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/))

const StoredFile = Schema.Struct({ path: Path, bytes: Schema.Int, sha256: Schema.String })
export type StoredFile = typeof StoredFile.Type

/** Content of a backup. */
export const Manifest = Schema.Struct({
  /** Release of the service that created the backup. */
  version: Schema.String,
  /** Release of PostgreSQL that can start the cluster. */
  postgres: Schema.String,
  /** The backup has everything that was committed until then. */
  createdAt: Schema.String,
  migrations: Schema.Array(Schema.String),
  /** Folders, because copies of a backup may lose empty ones. */
  folders: Schema.Array(Path),
  files: Schema.Array(StoredFile)
})
export type Manifest = typeof Manifest.Type

/** Processed and expected files of a command. */
export interface Progress {
  files: number
  bytes: number
  readonly total: number
}

/** Shows the progress until the scope ends. */
export type Show = (progress: Progress) => Effect.Effect<unknown, never, Scope.Scope>

export const MANIFEST_FILE = "manifest.json"
export const ManifestDocument = storedDocument(Manifest, { isChecked: true })

/** Folder of the cluster in a backup, which has the layout of `DATA_DIR`. */
export const CLUSTER = "postgres/"

export const CONCURRENCY = 4

export const sumBytes = (files: ReadonlyArray<{ readonly bytes: number }>) =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

export const summaryOf = (backup: string, { createdAt, files, migrations, postgres, version }: Manifest) => ({
  backup,
  createdAt,
  version,
  postgres,
  migration: migrations.at(-1) ?? null,
  files: files.length,
  bytes: sumBytes(files)
})

/** Writes the entries of folders to the disk. */
export const syncFolders = Effect.fnUntraced(function* (root: string, folders: ReadonlyArray<string>) {
  if (!(yield* IsDurable)) return
  yield* Effect.tryPromise({
    try: async () => {
      for (const folder of ["", ...folders]) await syncPath(join(root, folder))
    },
    catch: (thrown) => new BackupFailed({ message: `writing ${root} to the disk: ${formatReason(thrown)}` })
  })
})

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code

/** Runs a function on a path that the server may delete meanwhile. */
export const unlessMissing = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  }
}

interface Listing {
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<{ readonly path: string; readonly bytes: number }>
}

/** Lists a folder. Paths are below `root`. Entries that disappear meanwhile are left out. */
export const listFolder = (root: string, isSkipped: (path: string) => boolean, folder = ""): Listing => {
  const names = unlessMissing(() => readdirSync(join(root, folder)))
  const listings = (names ?? []).map((name): Listing => {
    const path = folder === "" ? name : `${folder}/${name}`
    const stat = isSkipped(path) ? undefined : lstatSync(join(root, path), { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) {
      const { files, folders } = listFolder(root, isSkipped, path)
      return { folders: [path, ...folders], files }
    }
    return { folders: [], files: stat?.isFile() === true ? [{ path, bytes: stat.size }] : [] }
  })
  return { folders: listings.flatMap(({ folders }) => folders), files: listings.flatMap(({ files }) => files) }
}

/** Small, because each of a thousand files, most of 8 KiB, takes a new chunk. */
const CHUNK_BYTES = 1 << 16

interface Copied {
  readonly bytes: number
  readonly sha256: string
}

/**
 * Reads a file and, if `to` is given, copies it to a new file that only its owner can read. `isDurable` writes it to the
 * disk before the copy ends. Counts the bytes.
 */
const readAndCopy = async (
  from: string,
  to: string | undefined,
  isDurable: boolean,
  progress: Progress,
  signal: AbortSignal
) => {
  const source = await open(from, "r")
  try {
    const target = to === undefined ? undefined : await open(to, "wx", 0o600)
    try {
      const hash = createHash("sha256")
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      let bytes = 0
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES)
        if (bytesRead === 0) break
        const part = chunk.subarray(0, bytesRead)
        hash.update(part)
        await target?.writeFile(part)
        bytes += bytesRead
        progress.bytes += bytesRead
      }
      if (isDurable) await target?.sync()
      progress.files += 1
      return { bytes, sha256: hash.digest("hex") }
    } finally {
      await target?.close()
    }
  } finally {
    await source.close()
  }
}

/**
 * Hashes a file and copies it to `to`, if given. Returns undefined if the file does not exist. An interruption waits for
 * the end of the copy, so that the folder can then be deleted.
 */
export const copyFile = Effect.fnUntraced(function* (from: string, to: string | undefined, progress: Progress) {
  const isDurable = yield* IsDurable
  return yield* Effect.callback<Copied | undefined, BackupFailed>((resume) => {
    const controller = new AbortController()
    const work = readAndCopy(from, to, isDurable, progress, controller.signal).then(
      (copied) => resume(Effect.succeed(copied)),
      (thrown: unknown) =>
        resume(
          hasCode(thrown, "ENOENT") && lstatSync(from, { throwIfNoEntry: false }) === undefined
            ? Effect.undefined
            : new BackupFailed({ message: `copying ${from}: ${formatReason(thrown)}` })
        )
    )
    return Effect.promise(() => {
      controller.abort()
      return work
    })
  })
})
