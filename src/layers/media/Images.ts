import { Effect, Fiber, FiberMap, Layer, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileType, type ImagesBusy } from "../../domain/media/File.ts"
import { Images, MAX_HEIGHT, type ServedImage, type Width, WIDTHS } from "../../domain/media/Images.ts"
import { type ByteRange, ObjectKey, ObjectStorage, type StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { ImageWorkers, type MadeType } from "./ImageWorkers.ts"
import { EXTENSIONS } from "./FileTypes.ts"
import { newKey } from "./Objects.ts"
import { storageFailure } from "./StorageFailure.ts"

const Original = Schema.Struct({
  storeId: Schema.toType(StoreId),
  hash: Schema.String,
  key: ObjectKey,
  contentType: FileType,
  bytes: Schema.Int,
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  isOpaque: Schema.Boolean
})
type Original = typeof Original.Type

const readOriginal = rowReader(Original)
const readSize = rowReader(
  Schema.Struct({ key: ObjectKey, bytes: Schema.NullOr(Schema.Int), hasFailed: Schema.Boolean })
)
const readKey = requiredRowReader(Schema.Struct({ key: ObjectKey }))

/** Pixels above which AVIF takes seconds, and WebP is made instead. */
const MAX_AVIF_PIXELS = 2_000_000

interface Size {
  readonly width: Width
  readonly type: MadeType
}

/**
 * Finds the size to make. A picture is not enlarged, so all widths above its own are the same size. None for pictures that
 * are served as they are.
 */
const sizeFor = (
  { contentType, height, isOpaque, width }: Original,
  requested: Width,
  accepted: ReadonlySet<FileType>
): Size | undefined => {
  if (contentType === "image/gif" || width === null || height === null) return undefined
  const made = WIDTHS.find((each) => each === requested || each >= width) ?? requested
  const pixels = made * Math.min((made * height) / width, MAX_HEIGHT)
  if (accepted.has("image/avif") && pixels <= MAX_AVIF_PIXELS) return { width: made, type: "image/avif" }
  if (accepted.has("image/webp")) return { width: made, type: "image/webp" }
  return { width: made, type: isOpaque ? "image/jpeg" : "image/png" }
}

const temporaryFolder = Effect.acquireRelease(
  Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), "image-")), catch: storageFailure }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

const writeFile = Effect.fnUntraced(function* (path: string, bytes: Stream.Stream<Uint8Array, StorageUnavailable>) {
  const handle = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, "wx", 0o600), catch: storageFailure }),
    (file) => Effect.promise(() => file.close())
  )
  yield* Stream.runForEach(bytes, (chunk) =>
    Effect.tryPromise({ try: () => handle.appendFile(chunk), catch: storageFailure })
  )
}, Effect.scoped)

export const ImagesLive = Layer.effect(
  Images,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* ObjectStorage
    const workers = yield* ImageWorkers
    const making = yield* FiberMap.make<string, void, ImagesBusy | StorageUnavailable>()

    const findSize = ({ hash, storeId }: Original, { type, width }: Size) =>
      readSize(sql`
        select key, bytes, coalesce(failed_at > now() - interval '1 hour', false) as "hasFailed" from media_sizes
        where store_id = ${storeId} and hash = ${hash} and width = ${width} and content_type = ${type}
      `)

    /** Finds the row of a size or creates it. It precedes the bytes, so that they are deleted with the original. */
    const claim = ({ hash, storeId }: Original, { type, width }: Size) =>
      readKey(sql`
        insert into media_sizes (store_id, hash, width, content_type, key)
        values (${storeId}, ${hash}, ${width}, ${type}, ${newKey(hash)})
        on conflict (store_id, hash, width, content_type) do update set failed_at = null returning key
      `)

    const update = ({ hash, storeId }: Original, { type, width }: Size, set: Record<string, unknown>) =>
      sql`
        update media_sizes set ${sql.update(set)}
        where store_id = ${storeId} and hash = ${hash} and width = ${width} and content_type = ${type}
      `

    /** Makes a size and stores it, unless another request did so since, or the bytes of the original are gone. */
    const make = Effect.fn("Images.make")(
      function* (original: Original, size: Size) {
        const found = yield* findSize(original, size)
        if (Option.isSome(found) && (found.value.bytes !== null || found.value.hasFailed)) return
        const bytes = yield* storage.read(original.key)
        if (Option.isNone(bytes)) return
        const folder = yield* temporaryFolder
        const [path, to] = [join(folder, "original"), join(folder, "made")]
        yield* writeFile(path, bytes.value)
        const { key } = yield* claim(original, size)
        const pixels = (original.width ?? 0) * (original.height ?? 0)
        const made = yield* workers.resize(original.storeId, { path, to, ...size, height: MAX_HEIGHT, pixels })
        yield* storage.put(key, to)
        yield* update(original, size, { bytes: made.bytes })
      },
      Effect.scoped,
      (effect, original, size) =>
        Effect.catchTag(effect, "PictureFailed", (error) =>
          Effect.andThen(
            Effect.logWarning("A size of a picture could not be made", error),
            update(original, size, { failed_at: new Date() })
          )
        ),
      orDefect
    )

    /** Makes a size once for all requests that wait for it. It is also made for a client that leaves. */
    const makeOnce = Effect.fnUntraced(function* (original: Original, size: Size) {
      const key = `${original.hash}/${size.width}/${size.type}`
      yield* FiberMap.run(making, key, Effect.asVoid(make(original, size)), { onlyIfMissing: true })
      const fiber = yield* FiberMap.get(making, key)
      if (Option.isSome(fiber)) yield* Fiber.join(fiber.value)
    })

    const serveObject = (key: ObjectKey, contentType: FileType, bytes: number) => ({
      contentType,
      bytes,
      read: (range?: ByteRange) => storage.read(key, range)
    })

    return Images.of({
      serve: Effect.fn("Images.serve")(function* (hash, requested, accepted) {
        const found = yield* readOriginal(sql`
          select o.store_id as "storeId", o.hash, o.key, o.content_type as "contentType", o.bytes, o.width, o.height,
            o.is_opaque as "isOpaque"
          from media_objects o join stores s on s.id = o.store_id
          where o.hash = ${hash} and o.unused_since is null and s.deleted_at is null
        `)
        if (Option.isNone(found)) return Option.none<ServedImage>()
        const original = found.value
        const size = sizeFor(original, requested, accepted)
        const served = serveObject(original.key, original.contentType, original.bytes)
        const unchanged = { ...served, variant: undefined, forget: Effect.void }
        if (size === undefined) return Option.some({ ...unchanged, isFallback: false })
        let row = yield* findSize(original, size)
        if (Option.isNone(row) || (row.value.bytes === null && !row.value.hasFailed)) {
          yield* makeOnce(original, size)
          row = yield* findSize(original, size)
        }
        if (Option.isNone(row) || row.value.bytes === null) {
          return Option.some({ ...unchanged, isFallback: true })
        }
        const variant = `${size.width}.${EXTENSIONS[size.type]}`
        const { bytes, key } = row.value
        const forget = Effect.asVoid(orDefect(update(original, size, { bytes: null })))
        return Option.some({ ...serveObject(key, size.type, bytes), variant, isFallback: false, forget })
      }, orDefect)
    })
  })
)
