import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { NeedsCapability } from "../../domain/access/AccessRule.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import {
  AppDataEntry,
  AppDataFull,
  AppDataNotFound,
  EntryKey,
  Namespace,
  PutAppData
} from "../../domain/records/AppData.ts"
import { publicError } from "../ErrorTable.ts"
import { KeyRequired, requireAccess } from "./Middleware.ts"
import { DataResponse, ChangeErrors, Page, pageQuery, WriteErrors, WriteResponses } from "./Shapes.ts"

const params = { namespace: Namespace }

const APP_STORAGE = requireAccess(NeedsCapability.make({ capability: "app_storage" }))

const DeletedEntry = Schema.Struct({ namespace: Namespace, key: EntryKey, deleted: Schema.Literal(true) })

export const putAppData = HttpApiEndpoint.put("putAppData", "/app-data/:namespace", {
  disableCodecs: true,
  params,
  payload: PutAppData,
  success: WriteResponses(AppDataEntry, "The entry as it now is"),
  error: [...ChangeErrors, publicError(AppDataFull)]
})
  .middleware(KeyRequired)
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Keep an entry")
  .annotate(
    OpenApi.Description,
    "Makes an entry of the installation's own data, or replaces it. With `ttlSeconds` it ends by itself. An installation keeps 10,000 entries and 10 MiB of values; what has expired does not count."
  )

export const getAppData = HttpApiEndpoint.get("getAppData", "/app-data/:namespace", {
  params,
  query: {
    key: optional(
      EntryKey.annotate({ description: "The entry that is wanted; without it, all of the namespace are listed" })
    ),
    ...pageQuery(EntryKey)
  },
  success: [DataResponse(AppDataEntry, "The entry of `key`"), Page({ entries: Schema.Array(AppDataEntry) }, EntryKey)],
  error: publicError(AppDataNotFound)
})
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Read an entry, or list them")
  .annotate(
    OpenApi.Description,
    "With `key`, the entry under it. Without, a page of the entries in the namespace, in ascending order of key: `cursor` is a key. What has expired is in neither."
  )

export const deleteAppData = HttpApiEndpoint.delete("deleteAppData", "/app-data/:namespace", {
  params,
  query: { key: EntryKey },
  success: WriteResponses(DeletedEntry, "What is gone"),
  error: [...WriteErrors, publicError(AppDataNotFound)]
})
  .middleware(KeyRequired)
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Delete an entry")
  .annotate(OpenApi.Description, "At once and for good.")

/** Data that an installation stores for itself. Other installations cannot read it. */
export class AppDataGroup extends HttpApiGroup.make("App data")
  .add(putAppData, getAppData, deleteAppData)
  .annotate(OpenApi.Description, "What an installation keeps for itself") {}
