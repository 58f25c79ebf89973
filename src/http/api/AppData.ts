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
  success: WriteResponses(AppDataEntry, "The stored entry"),
  error: [...ChangeErrors, publicError(AppDataFull)]
})
  .middleware(KeyRequired)
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Store an entry")
  .annotate(
    OpenApi.Description,
    "Creates or replaces an entry of the installation. With `ttlSeconds` it expires. An installation can store 10,000 entries and 10 MiB of values; expired entries do not count."
  )

export const getAppData = HttpApiEndpoint.get("getAppData", "/app-data/:namespace", {
  params,
  query: {
    key: optional(
      EntryKey.annotate({
        description: "The key of the entry to read. Without it, the entries of the namespace are listed"
      })
    ),
    ...pageQuery(EntryKey)
  },
  success: [
    DataResponse(AppDataEntry, "The entry with this key"),
    Page({ entries: Schema.Array(AppDataEntry) }, EntryKey)
  ],
  error: publicError(AppDataNotFound)
})
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Read an entry, or list them")
  .annotate(
    OpenApi.Description,
    "With `key`, returns that entry. Without it, returns a page of the entries in the namespace, in ascending order of key; `cursor` is a key. Expired entries are not returned."
  )

export const deleteAppData = HttpApiEndpoint.delete("deleteAppData", "/app-data/:namespace", {
  params,
  query: { key: EntryKey },
  success: WriteResponses(DeletedEntry, "The deleted entry"),
  error: [...WriteErrors, publicError(AppDataNotFound)]
})
  .middleware(KeyRequired)
  .annotateMerge(APP_STORAGE)
  .annotate(OpenApi.Summary, "Delete an entry")
  .annotate(OpenApi.Description, "Deletes the entry immediately and permanently.")

/** Data of an installation. Other installations cannot read it. */
export class AppDataGroup extends HttpApiGroup.make("App data")
  .add(putAppData, getAppData, deleteAppData)
  .annotate(OpenApi.Description, "Data that an installation stores for itself. Rules: `docs/spec/app-data.md`") {}
