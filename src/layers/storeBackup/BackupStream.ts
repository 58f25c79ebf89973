import { Effect, Result, Schema, type Scope, Stream } from "effect"
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { once } from "node:events"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { Plan } from "../../domain/access/Stores.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { ObjectKey } from "../../domain/media/ObjectStorage.ts"
import { StoreId } from "../../domain/Store.ts"
import { syncPath } from "../Folder.ts"
import { BackupFailed } from "../postgres/BackupFiles.ts"
import { formatReason } from "../postgres/EmbeddedPostgresFailed.ts"

/*
 * A backup of a store is gzip of lines of JSON: the manifest, for each table its columns and its rows, for each object its
 * key and length followed by its bytes, and the SHA-256 of everything before it.
 */

const FORMAT = 1

const NamedRow = Schema.Struct({ id: Schema.String, name: Schema.String })

const Installation = Schema.Struct({
  id: Schema.String,
  appId: Schema.String,
  planIds: Schema.Array(Schema.String),
  pendingDeliveries: Schema.Int
})

const Account = Schema.Struct({ ...NamedRow.fields, email: Schema.String, isMember: Schema.Boolean })

/** Content of a backup, and the rows outside of the store to which its rows refer. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  createdAt: Schema.String,
  /** Names of the migrations with the beginnings of their hashes. */
  migrations: Schema.Array(Schema.String),
  store: Schema.Struct({ id: Schema.toType(StoreId), name: Schema.String }),
  plan: Schema.Struct(Plan.fields),
  apps: Schema.Array(NamedRow),
  installations: Schema.Array(Installation),
  accounts: Schema.Array(Account),
  /** Microseconds of the newest id. */
  newest: Schema.Int,
  rows: Schema.Record(Schema.String, Schema.Int),
  objects: Schema.Struct({ count: Schema.Int, bytes: Schema.Int })
})
export type Manifest = typeof Manifest.Type

export const FormatDocument = storedDocument(Schema.Struct({ format: Schema.Int }))
export const ManifestDocument = storedDocument(Manifest, { isChecked: true })
const Header = Schema.Union([
  Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) }),
  Schema.Struct({ object: ObjectKey, bytes: Schema.Int }),
  Schema.Struct({ sha256: Schema.String })
])
export const HeaderDocument = storedDocument(Header, { isChecked: true })

const failed = (step: string) => (thrown: unknown) =>
  thrown instanceof BackupFailed ? thrown : new BackupFailed({ message: `${step}: ${formatReason(thrown)}` })

const attemptWrite = (run: () => Promise<unknown>) =>
  Effect.asVoid(
    Effect.tryPromise({
      try: run,
      catch: failed("The backup could not be written; choose another --file or free space")
    })
  )

/** Writer of a backup. */
export interface BackupWriter {
  /** Writes text or bytes. */
  readonly write: (data: string | Uint8Array) => Effect.Effect<void, BackupFailed>
  /** Writes the digest, and gives the file its name. */
  readonly finish: Effect.Effect<void, BackupFailed>
}

/**
 * Creates a file that only its owner can read. It has its name when it is complete; the end of the scope deletes an
 * unfinished one.
 */
export const createWriter = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<BackupWriter, BackupFailed, Scope.Scope> {
  const part = `${path}.part`
  yield* attemptWrite(() => rm(part, { force: true }))
  const hash = createHash("sha256")
  const gzip = createGzip({ level: 4 })
  const written = pipeline(gzip, createWriteStream(part, { flags: "wx", mode: 0o600 }))
  // Each write reports a failure of the file.
  written.catch(() => {})
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      gzip.destroy()
      await written.catch(() => {})
      await rm(part, { force: true })
    })
  )
  const write = (data: string | Uint8Array) =>
    attemptWrite(async () => {
      hash.update(data)
      if (!gzip.write(data)) await Promise.race([once(gzip, "drain"), written])
    })
  return {
    write,
    finish: attemptWrite(async () => {
      gzip.end(`${JSON.stringify({ sha256: hash.digest("hex") })}\n`)
      await written
      await syncPath(part)
      await rename(part, path)
      await syncPath(dirname(path))
    })
  }
})

/** Part of a backup. The bytes of an object must be read before the next part. */
export type BackupPart =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | {
      readonly kind: "rows"
      readonly table: string
      readonly columns: ReadonlyArray<string>
      readonly lines: ReadonlyArray<string>
    }
  | { readonly kind: "object"; readonly key: ObjectKey; readonly bytes: AsyncIterable<Uint8Array> }

/** Maximum rows and characters of a part. */
const PART_ROWS = 500
const PART_LENGTH = 1024 * 1024

const NEWLINE = 10

const incomplete = (path: string) =>
  new BackupFailed({ message: `${path} is not complete: its end is missing; use another backup` })

const damaged = (path: string) => new BackupFailed({ message: `${path} is damaged; use another backup` })

/** Reads lines and bytes from chunks, and hashes what was read. */
const makeReader = (path: string) => {
  const chunks = createGunzip()
  // Its iterator reports a failure.
  pipeline(createReadStream(path), chunks).catch(() => {})
  const source = chunks[Symbol.asyncIterator]()
  const hash = createHash("sha256")
  let rest: Uint8Array = Buffer.alloc(0)
  const next = async () => {
    const result = await source.next()
    if (result.done === true) throw incomplete(path)
    const chunk: unknown = result.value
    rest = chunk instanceof Uint8Array ? chunk : Buffer.alloc(0)
  }
  const take = (length: number) => {
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }
  return {
    /** Reads a line, without its break. The digest of everything before it is `digest`. */
    line: async () => {
      const parts: Array<Uint8Array> = []
      for (;;) {
        const end = rest.indexOf(NEWLINE)
        parts.push(take(end < 0 ? rest.length : end + 1))
        if (end >= 0) break
        await next()
      }
      const bytes = Buffer.concat(parts)
      return { text: bytes.subarray(0, -1).toString("utf8"), accept: () => void hash.update(bytes) }
    },
    bytes: async function* (length: number) {
      for (let left = length; left > 0;) {
        if (rest.length === 0) await next()
        const taken = take(left)
        hash.update(taken)
        left -= taken.length
        yield taken
      }
    },
    digest: () => hash.digest("hex"),
    isAtEnd: async () => rest.length === 0 && (await source.next()).done === true,
    close: () => void chunks.destroy()
  }
}

const readManifest = (path: string, text: string): Manifest => {
  const format = Result.try(() => FormatDocument.parse(text))
  if (Result.isFailure(format))
    throw new BackupFailed({ message: `${path} is no backup of a store; name a file of stores export` })
  if (format.success.format !== FORMAT) {
    throw new BackupFailed({
      message: `${path} has format ${format.success.format}, and this release reads format ${FORMAT}; use the release that created it`
    })
  }
  return ManifestDocument.parse(text)
}

/** Reads the parts of a backup. Fails at the end if the digest differs. */
async function* readParts(path: string): AsyncGenerator<BackupPart, void> {
  const reader = makeReader(path)
  try {
    const first = await reader.line()
    first.accept()
    yield { kind: "manifest", manifest: readManifest(path, first.text) }
    let table = { table: "", columns: Array.of<string>() as ReadonlyArray<string> }
    let lines: Array<string> = []
    let length = 0
    for (;;) {
      const { accept, text } = await reader.line()
      const isRow = text.startsWith("[")
      if (lines.length > 0 && (!isRow || lines.length === PART_ROWS || length > PART_LENGTH)) {
        yield { kind: "rows", ...table, lines }
        lines = []
        length = 0
      }
      if (isRow) {
        accept()
        lines.push(text)
        length += text.length
        continue
      }
      const header = HeaderDocument.parse(text)
      if ("sha256" in header) {
        if (header.sha256 !== reader.digest() || !(await reader.isAtEnd())) throw damaged(path)
        return
      }
      accept()
      if ("table" in header) table = header
      else {
        const bytes = reader.bytes(header.bytes)
        yield { kind: "object", key: header.object, bytes }
        for await (const _ of bytes);
      }
    }
  } finally {
    reader.close()
  }
}

const CORRUPT: ReadonlySet<unknown> = new Set(["Z_DATA_ERROR", "Z_BUF_ERROR"])

/** Converts an error of the file, of gzip, of JSON, or of a schema. */
const readFailure =
  (path: string) =>
  (thrown: unknown): BackupFailed => {
    if (Schema.isSchemaError(thrown) || thrown instanceof SyntaxError) return damaged(path)
    if (thrown instanceof Error && "code" in thrown && CORRUPT.has(thrown.code)) {
      if (thrown.message === "unexpected end of file") return incomplete(path)
      return thrown.message === "incorrect header check"
        ? new BackupFailed({ message: `${path} is no backup of a store; name a file of stores export` })
        : damaged(path)
    }
    return failed(`The backup could not be read`)(thrown)
  }

/** Streams the parts of a backup. Memory holds one part. */
export const streamBackup = (path: string) => Stream.fromAsyncIterable(readParts(path), readFailure(path))
