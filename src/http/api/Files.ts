import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
import { optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
  AltText,
  FileDamaged,
  FileEmpty,
  FileId,
  FileName,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImagesBusy,
  MAX_FILE_BYTES,
  MAX_PIXELS,
  MediaFile,
  MediaLimitReached,
  TooManyPixels
} from "../../domain/media/File.ts"
import { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { SearchText } from "../../domain/Query.ts"
import { formatInteger } from "../../domain/Text.ts"
import { publicError } from "../ErrorTable.ts"
import { KeyRequired, requireAccess, StreamedBody } from "./Middleware.ts"
import { ChangeErrors, DataResponse, DeleteResponses, Page, pageQuery, WriteErrors } from "./Shapes.ts"

const READ = requireAccess(AnyScope.make({ scopes: ["read_files"] }))
/** Access rule of uploads. */
export const WRITES_FILES = AnyScope.make({ scopes: ["write_files"] })
const WRITE = requireAccess(WRITES_FILES)

const file = { id: withDescription(FileId, "The id of the file") }

export const createFile = HttpApiEndpoint.post("createFile", "/files", {
  disableCodecs: true,
  query: {
    name: optional(withDescription(FileName, "The name of the file. Default: the name of the part, or `file`")),
    alt: optional(withDescription(AltText, "Text for people who do not see the picture. Default: empty"))
  },
  payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
  success: DataResponse(MediaFile, "The new file").pipe(HttpApiSchema.status(201)),
  error: [
    ...ChangeErrors,
    publicError(FileEmpty),
    publicError(FileTooLarge),
    publicError(FileTypeRefused),
    publicError(FileDamaged),
    publicError(TooManyPixels),
    publicError(MediaLimitReached),
    publicError(ImagesBusy),
    publicError(StorageUnavailable)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(StreamedBody, true)
  .annotate(OpenApi.Summary, "Upload a file")
  .annotate(
    OpenApi.Description,
    `Stores a picture: JPEG, PNG, WebP, AVIF, GIF or SVG of at most ${MAX_FILE_BYTES / 1024 ** 2} MiB and ${formatInteger(MAX_PIXELS)} pixels. The body is the bytes with any \`Content-Type\`, or \`multipart/form-data\` with one file and the optional fields \`name\` and \`alt\`. The type is found from the bytes. Use the \`url\` as \`imageUrl\` or \`media[].url\` of a product.`
  )

export const listFiles = HttpApiEndpoint.get("listFiles", "/files", {
  query: {
    ...pageQuery(FileId),
    search: optional(withDescription(SearchText, "Part of the name or of the alternative text. Ignores case"))
  },
  success: Page({ files: Schema.Array(MediaFile) }, FileId)
})
  .annotateMerge(READ)
  .annotate(OpenApi.Summary, "List files")
  .annotate(OpenApi.Description, "Returns the files of the store, newest first.")

export const getFile = HttpApiEndpoint.get("getFile", "/files/:id", {
  params: file,
  success: DataResponse(MediaFile, "The file"),
  error: publicError(FileNotFound)
})
  .annotateMerge(READ)
  .annotate(OpenApi.Summary, "Read a file")
  .annotate(OpenApi.Description, "Returns what is known about a file. Its bytes are at its `url`.")

export const deleteFile = HttpApiEndpoint.delete("deleteFile", "/files/:id", {
  params: file,
  success: DeleteResponses(FileId),
  error: [...WriteErrors, publicError(FileNotFound)]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(OpenApi.Summary, "Delete a file")
  .annotate(
    OpenApi.Description,
    "Deletes the file immediately and permanently. Its `url` responds with 404 unless another file has the same bytes; caches can keep it. Products that refer to it do not change."
  )

/** Pictures of a store. */
export class FilesGroup extends HttpApiGroup.make("Files")
  .add(createFile, listFiles, getFile, deleteFile)
  .annotate(OpenApi.Description, "Pictures of a store. Rules: `docs/spec/files.md`") {}
