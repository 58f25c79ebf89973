import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Proposed } from "../../domain/access/Proposals.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { Bool, optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
  AltText,
  FileDamaged,
  FileEmpty,
  FileId,
  FileName,
  FileNotFetched,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImagesBusy,
  MAX_FILE_BYTES,
  MediaFile,
  MediaLimitReached,
  TooManyPixels,
  UsedFile
} from "../../domain/media/File.ts"
import { QueryTooSlow } from "../../domain/Query.ts"
import { MAX_URL_LENGTH } from "../../domain/Url.ts"
import { AccessPolicy, membersAndAgentsWith, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { Deleted, keyedFields, Page, pageFields, reasonFields, WriteError } from "./CommonSchemas.ts"

/* Files of a store. Members send their bytes with `POST /rpc/files`. */

const fileFields = { ...keyedFields, id: withDescription(FileId, "Id of the file") }

/** Lists files with the number of products that show them, newest first. Members only. */
export const listFiles = Rpc.make("files.list", {
  payload: {
    ...pageFields(FileId),
    search: optional(
      withDescription(Schema.String.check(Schema.isMaxLength(255)), "Part of the name or of the alternative text")
    ),
    unused: optional(Bool.annotate({ description: "true: only files that no product shows; false: only the others" }))
  },
  success: Page(UsedFile, FileId),
  error: QueryTooSlow
}).annotate(WorkWeight, "heavy")

/**
 * Stores the picture at a public https URL. A retry with the same key does not fetch it again. Members, and agents with
 * `write_files`. The URL of an agent with `proposalsOnly` is fetched when a member approves it, because a URL can carry data
 * of the store to its host.
 */
export const fetchFile = Rpc.make("files.fetch", {
  payload: {
    ...keyedFields,
    ...reasonFields,
    url: withDescription(
      Schema.String.check(Schema.isMaxLength(MAX_URL_LENGTH)),
      "Public https URL of the picture itself, not of a page that shows it"
    ),
    name: optional(withDescription(FileName, "Name of the file. Default: the last part of the URL")),
    alt: optional(withDescription(AltText, "Text for people who do not see the picture. Default: empty"))
  },
  success: Schema.Union([Proposed, MediaFile]),
  error: Schema.Union([
    WriteError,
    FileNotFetched,
    FileEmpty,
    FileTooLarge,
    FileTypeRefused,
    FileDamaged,
    TooManyPixels,
    MediaLimitReached,
    ImagesBusy
  ])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("write_files"))
  .annotate(
    ToolDescription,
    `Copies the picture at a public https URL into the files of the store: JPEG, PNG, WebP, AVIF, GIF or SVG, at most ${MAX_FILE_BYTES / 1024 ** 2} MiB. Use \`url\` of the result as \`imageUrl\` or \`media[].url\` of a product with products.update. Fails with FileNotFetched if the picture cannot be fetched; \`problem\` and \`status\` have the reason. Can take 40 seconds. If it returns \`proposal\`, the picture is fetched when a member approves it, and \`response\` of proposals.get is the file. Example: { "idempotencyKey": "<new UUID>", "url": "https://example.com/desk.jpg", "alt": "Oak desk" }`
  )

/** Changes the alternative text of a file. Products keep theirs. Members only. */
export const updateFile = Rpc.make("files.update", {
  payload: { ...fileFields, alt: withDescription(AltText, "Text for people who do not see the picture") },
  success: MediaFile,
  error: Schema.Union([WriteError, FileNotFound])
})

/** Deletes a file permanently, also if products show it. Members only. */
export const deleteFile = Rpc.make("files.delete", {
  payload: fileFields,
  success: Deleted(FileId),
  error: Schema.Union([WriteError, FileNotFound])
})

/** Files of a store. */
export class FileRpcs extends RpcGroup.make(listFiles, fetchFile, updateFile, deleteFile).middleware(Authentication) {}
