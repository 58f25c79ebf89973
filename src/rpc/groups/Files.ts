import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { Bool, optional, withDescription } from "../../domain/catalog/Fields.ts"
import { AltText, FileId, FileNotFound, MediaFile, UsedFile } from "../../domain/media/File.ts"
import { QueryTooSlow } from "../../domain/Query.ts"
import { Authentication } from "../Authentication.ts"
import { Deleted, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

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

/** Files of a store, for its members. */
export class FileRpcs extends RpcGroup.make(listFiles, updateFile, deleteFile).middleware(Authentication) {}
