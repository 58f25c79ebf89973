import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
  applyOptions,
  ChangeSet,
  ChangeSetId,
  MAX_OPERATIONS,
  NewChangeSet,
  OperationResult,
  Outcome,
  READY_DAYS
} from "../../domain/changeSets/ChangeSet.ts"
import {
  ChangeSetNotFound,
  ChangeSetRefused,
  ChangeSetStateMismatch,
  ChangeSetUndone,
  NothingToUndo,
  OperationScopeMissing,
  TooManyChangeSets,
  TooManyOperations
} from "../../domain/changeSets/Refusals.ts"
import { formatInteger } from "../../domain/Text.ts"
import { publicError } from "../ErrorTable.ts"
import { KeyRequired, ReadsLatest, requireAccess, StreamedBody } from "./Middleware.ts"
import { DataResponse, ChangeErrors, Page, pageQuery } from "./Shapes.ts"

const set = { id: withDescription(ChangeSetId, "The id of the change set") }

const WRITE = requireAccess(AnyScope.make({ scopes: ["write_products", "write_collections", "write_inventory"] }))

export const createChangeSet = HttpApiEndpoint.post("createChangeSet", "/change-sets", {
  disableCodecs: true,
  payload: NewChangeSet,
  success: DataResponse(ChangeSet, "The new change set").pipe(HttpApiSchema.status(201)),
  error: [
    ...ChangeErrors,
    publicError(OperationScopeMissing),
    publicError(TooManyChangeSets),
    publicError(TooManyOperations)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(StreamedBody, true)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Create a change set")
  .annotate(
    OpenApi.Description,
    `Stores up to ${formatInteger(MAX_OPERATIONS)} operations, or one change of products that rules or ids select, and previews them. Nothing changes before the set is applied, within ${READY_DAYS} days. The body may have 64 MiB, also after decompression (\`Content-Encoding: gzip\`). As \`application/x-ndjson\` the first line is the object without \`operations\`, and each further line is an operation. Needs the write scopes of its operations. Rules also need \`read_products\` or \`write_products\`.`
  )

export const listChangeSets = HttpApiEndpoint.get("listChangeSets", "/change-sets", {
  query: pageQuery(ChangeSetId),
  success: Page({ changeSets: Schema.Array(ChangeSet) }, ChangeSetId)
})
  .annotateMerge(WRITE)
  .annotate(ReadsLatest, true)
  .annotate(OpenApi.Summary, "List change sets")
  .annotate(OpenApi.Description, "Returns the change sets of the installation, newest first.")

export const getChangeSet = HttpApiEndpoint.get("getChangeSet", "/change-sets/:id", {
  params: set,
  success: DataResponse(ChangeSet, "The change set"),
  error: publicError(ChangeSetNotFound)
})
  .annotateMerge(WRITE)
  .annotate(ReadsLatest, true)
  .annotate(OpenApi.Summary, "Read a change set")
  .annotate(OpenApi.Description, "Returns the state, progress, preview and counts of a change set of the installation.")

export const listChangeSetResults = HttpApiEndpoint.get("listChangeSetResults", "/change-sets/:id/results", {
  params: set,
  query: {
    ...pageQuery(
      Schema.String.check(Schema.isPattern(/^\d{1,6}$/, { message: "must be the `nextCursor` of the previous page" }))
    ),
    outcome: optional(Outcome.annotate({ description: "Only results with this outcome" }))
  },
  success: Page({ results: Schema.Array(OperationResult) }, Schema.String),
  error: [publicError(ChangeSetNotFound), publicError(OperationScopeMissing)]
})
  .annotateMerge(WRITE)
  .annotate(ReadsLatest, true)
  .annotate(OpenApi.Summary, "List results of a change set")
  .annotate(OpenApi.Description, "Returns the result of each operation, in their order. Needs the scopes of the set.")

/** Body of an application. */
export const ApplyChangeSet = Schema.Struct(applyOptions).annotate({ identifier: "ApplyChangeSet" })

export const applyChangeSet = HttpApiEndpoint.post("applyChangeSet", "/change-sets/:id/apply", {
  disableCodecs: true,
  params: set,
  payload: ApplyChangeSet,
  success: DataResponse(ChangeSet, "The change set"),
  error: [
    ...ChangeErrors,
    publicError(ChangeSetNotFound),
    publicError(ChangeSetStateMismatch),
    publicError(ChangeSetRefused),
    publicError(OperationScopeMissing)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(OpenApi.Summary, "Apply a change set")
  .annotate(
    OpenApi.Description,
    "Starts to apply a change set that is `ready`, or schedules it for `applyAt`. It runs in the background, survives restarts, and emits the events of its changes with `changeSetId`."
  )

const stateErrors = [...ChangeErrors, publicError(ChangeSetNotFound), publicError(ChangeSetStateMismatch)] as const

export const cancelChangeSet = HttpApiEndpoint.post("cancelChangeSet", "/change-sets/:id/cancel", {
  disableCodecs: true,
  params: set,
  success: DataResponse(ChangeSet, "The change set"),
  error: stateErrors
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(OpenApi.Summary, "Cancel a change set")
  .annotate(
    OpenApi.Description,
    "Cancels a change set that is not finished. One that is being applied stops after its current batch and keeps what it has changed, which can be undone."
  )

export const undoChangeSet = HttpApiEndpoint.post("undoChangeSet", "/change-sets/:id/undo", {
  disableCodecs: true,
  params: set,
  success: DataResponse(ChangeSet, "The change set that undoes the other one").pipe(HttpApiSchema.status(201)),
  error: [
    ...stateErrors,
    publicError(ChangeSetUndone),
    publicError(NothingToUndo),
    publicError(TooManyChangeSets),
    publicError(TooManyOperations)
  ]
})
  .middleware(KeyRequired)
  .annotateMerge(WRITE)
  .annotate(OpenApi.Summary, "Undo a change set")
  .annotate(
    OpenApi.Description,
    "Creates a change set that undoes the applied operations of this one, with its own preview. Apply it to undo them. What others changed since is refused, unless it is applied with `onConflict: overwrite`."
  )

/** Many changes at once. */
export class ChangeSetsGroup extends HttpApiGroup.make("ChangeSets")
  .add(
    createChangeSet,
    listChangeSets,
    getChangeSet,
    listChangeSetResults,
    applyChangeSet,
    cancelChangeSet,
    undoChangeSet
  )
  .annotate(OpenApi.Description, "Many changes at once. Rules: `docs/change-sets.md`") {}
