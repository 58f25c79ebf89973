import { Schema } from "effect"
import { field, text, Timestamp, trimmed, WITHOUT_NUL, withDescription } from "../catalog/Fields.ts"
import { formatInteger } from "../Text.ts"
import { Uuid } from "../Uuid.ts"

/** Maximum bytes of a file. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024

/** Maximum pixels of a picture: its width times its height. */
export const MAX_PIXELS = 50_000_000

/** Hours for which bytes are kept after the last file that names them was deleted, or after an upload that failed. */
export const UNUSED_HOURS = 24

export const FileId = Uuid.pipe(Schema.brand("FileId"), Schema.annotate({ identifier: "FileId" }))
export type FileId = typeof FileId.Type

/** Types of files that are accepted. The type is found from the bytes. */
export const FileType = Schema.Literals([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/avif",
  "image/gif",
  "image/svg+xml"
])
export type FileType = typeof FileType.Type

const ACCEPTED = "JPEG, PNG, WebP, AVIF, GIF or SVG"

export const FileName = trimmed(255).check(WITHOUT_NUL)
export const AltText = text(512).check(WITHOUT_NUL)

/** Fields that a client gives with the bytes of a file. */
export interface FileDetails {
  readonly name: string
  readonly alt: string
  /** URL from which an import copied the file. */
  readonly source?: string
}

const Pixels = Schema.NullOr(Schema.Int)

/** A file of a store. */
export const MediaFile = Schema.Struct({
  id: withDescription(FileId, "File id"),
  url: Schema.String.annotate({
    description: "Public URL of the bytes, which never change. Use it as `imageUrl` or `media[].url` of a product",
    format: "uri"
  }),
  contentType: FileType.annotate({ description: "Type, found from the bytes" }),
  bytes: Schema.Int.annotate({ description: "Size in bytes" }),
  width: Pixels.annotate({ description: "Width in pixels, with the orientation applied; null for SVG" }),
  height: Pixels.annotate({ description: "Height in pixels, with the orientation applied; null for SVG" }),
  color: Schema.NullOr(Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/))).annotate({
    description: "Dominant colour, to show before the picture is loaded; null for SVG"
  }),
  alt: field(Schema.String, "Text for people who do not see the picture; empty if there is none", "Oak desk"),
  name: field(Schema.String, "Name of the file", "desk.jpg"),
  createdAt: Timestamp
}).annotate({ identifier: "MediaFile", description: "A file of the store, such as a picture of a product" })
export type MediaFile = typeof MediaFile.Type

/** A file, and the number of products that show it. */
export const UsedFile = Schema.Struct({
  ...MediaFile.fields,
  usage: Schema.Int.annotate({ description: "Number of products whose `imageUrl` or `media[].url` has these bytes" })
}).annotate({ identifier: "UsedFile", description: "A file of the store, with its use in products" })
export type UsedFile = typeof UsedFile.Type

/** Files that a list selects. */
export interface FileFilter {
  /** Part of the name or of the alternative text. */
  readonly search?: string | undefined
  /** True for files that no product shows, false for the others. */
  readonly unused?: boolean | undefined
}

export class FileNotFound extends Schema.TaggedError<FileNotFound>()("FileNotFound", { id: FileId }) {
  override get message() {
    return `File ${this.id} was not found`
  }
}

export class FileEmpty extends Schema.TaggedError<FileEmpty>()("FileEmpty", {}) {
  override get message() {
    return "The file is empty; send its bytes"
  }
}

export class FileTooLarge extends Schema.TaggedError<FileTooLarge>()("FileTooLarge", {}) {
  override get message() {
    return `The file must be at most ${MAX_FILE_BYTES / 1024 ** 2} MiB; reduce the quality or the size of the picture`
  }
}

/** The bytes are not of an accepted type. `found` is their type if it is known. */
export class FileTypeRefused extends Schema.TaggedError<FileTypeRefused>()("FileTypeRefused", {
  found: Schema.NullOr(Schema.String)
}) {
  override get message() {
    if (this.found?.startsWith("image/hei") === true) {
      return "HEIC pictures are not shown by most browsers; convert the file to JPEG, which the share menu of an iPhone does, and send it again"
    }
    const found = this.found === null ? "of an unknown type" : this.found
    return `The file must be ${ACCEPTED}, but it is ${found}; its name does not matter`
  }
}

/** The bytes begin like a picture, but its header cannot be read. */
export class FileDamaged extends Schema.TaggedError<FileDamaged>()("FileDamaged", { contentType: FileType }) {
  override get message() {
    return `The file begins as ${this.contentType} but is damaged or incomplete; save the picture again`
  }
}

export class TooManyPixels extends Schema.TaggedError<TooManyPixels>()("TooManyPixels", {
  width: Schema.Int,
  height: Schema.Int
}) {
  override get message() {
    return `The picture has ${this.width} × ${this.height} pixels; it must have at most ${formatInteger(MAX_PIXELS)} in total, so reduce its size`
  }
}

/** The files of the store have reached the limit of its plan. */
export class MediaLimitReached extends Schema.TaggedError<MediaLimitReached>()("MediaLimitReached", {
  limit: Schema.Int,
  /** True if deleted files, whose bytes are kept for a while, take the space. */
  isByUnused: Schema.Boolean
}) {
  override get message() {
    const limit = `The files of the store may have ${formatInteger(Math.floor(this.limit / 1024 ** 2))} MiB on this plan`
    return this.isByUnused
      ? `${limit}, and deleted files still take as much; repeat the request in ${UNUSED_HOURS} hours, or upgrade the plan`
      : `${limit}; delete files or upgrade the plan`
  }
}

/** Too many pictures wait to be decoded. */
export class ImagesBusy extends Schema.TaggedError<ImagesBusy>()("ImagesBusy", {}) {
  override get message() {
    return "Too many pictures are processed at the moment; repeat the request in a few seconds, a write with the same Idempotency-Key"
  }
}

/** Why a picture could not be fetched from its URL. */
export const FetchProblem = Schema.Literals(["url", "address", "status", "redirects", "timeout", "connection"])
export type FetchProblem = typeof FetchProblem.Type

/** The picture at a URL cannot be fetched. `status` is that of the last response, if `problem` is `status`. */
export class FileNotFetched extends Schema.TaggedError<FileNotFetched>()("FileNotFetched", {
  problem: FetchProblem,
  status: Schema.NullOr(Schema.Int),
  reason: Schema.String
}) {
  override get message() {
    return `The picture was not fetched: ${this.reason}`
  }
}
