import { Effect } from "effect"
import { fileTypeFromFile } from "file-type"
import { open } from "node:fs/promises"
import { FileDamaged, FileType, FileTypeRefused, MAX_PIXELS, TooManyPixels } from "../../domain/media/File.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { ImageWorkers } from "./ImageWorkers.ts"

/** Ends of names in URLs. */
export const EXTENSIONS: Readonly<Record<FileType, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/svg+xml": "svg"
}

/** Types by the names of the library. An animated PNG is a PNG that other programs show as its first frame. */
const TYPES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ...FileType.literals.map((type) => [type, type] as const),
  ["image/apng", "image/png"]
])

/** Formats of `sharp` for the types that it reads. It sees AVIF as a kind of HEIF. */
const FORMATS: Readonly<Record<Exclude<FileType, "image/svg+xml">, string>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "heif",
  "image/gif": "gif"
}

/** Bytes in which the root element of an SVG file is looked for. */
const SVG_HEAD = 64 * 1024

/** Begins with the root element `svg`, after a declaration, comments, instructions and a document type. */
const SVG =
  /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE\s+svg[^[>]*(?:\[[^\]]*\])?\s*>\s*)*<svg[\s>/]/

const isSvg = async (path: string) => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SVG_HEAD), 0, SVG_HEAD, 0)
    return SVG.test(buffer.toString("utf8", 0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Finds type, dimensions and colour of a file from its bytes. SVG has no pixels. */
export const inspectFile = Effect.fn("inspectFile")(function* (
  workers: ImageWorkers["Service"],
  store: StoreId,
  path: string
) {
  const detected = yield* Effect.promise(() => fileTypeFromFile(path))
  const contentType = TYPES.get(detected?.mime ?? "")
  if (contentType === undefined || contentType === "image/svg+xml") {
    const isText = detected === undefined || detected.mime === "application/xml"
    if (isText && (yield* Effect.promise(() => isSvg(path)))) {
      return { contentType: "image/svg+xml", width: null, height: null, color: null, isOpaque: false } as const
    }
    return yield* new FileTypeRefused({ found: detected?.mime ?? null })
  }
  const { color, format, height, isOpaque, width } = yield* Effect.catchTag(
    workers.inspect(store, path, FORMATS[contentType]),
    "PictureFailed",
    (error) => Effect.andThen(Effect.logDebug(error), new FileDamaged({ contentType }))
  )
  if (format !== FORMATS[contentType] || width < 1 || height < 1) return yield* new FileDamaged({ contentType })
  if (width * height > MAX_PIXELS) return yield* new TooManyPixels({ width, height })
  return { contentType, width, height, color, isOpaque }
})
