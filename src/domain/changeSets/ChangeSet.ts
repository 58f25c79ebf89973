import { Schema } from "effect"
import { InstallationId, MerchantId } from "../access/Ids.ts"
import { CollectionId } from "../catalog/Collection.ts"
import { field, optional, text, Timestamp } from "../catalog/Fields.ts"
import { ProductId } from "../catalog/Product.ts"
import { Rules } from "../catalog/Rule.ts"
import { StoredEventKind } from "../Events.ts"
import { ActorType, EntryId } from "../journal/Activity.ts"
import { DataKind } from "../imports/DataKind.ts"
import { CatalogKind } from "../journal/Kinds.ts"
import { boundedArray } from "../json/Bounded.ts"
import { formatInteger } from "../Text.ts"
import { Uuid } from "../Uuid.ts"
import { Edit } from "./Edit.ts"
import { Operation } from "./Operation.ts"

/** Maximum number of operations of a change set, and of one that is applied as a whole. */
export const MAX_OPERATIONS = 100_000
export const MAX_ATOMIC_OPERATIONS = 10_000

/** Maximum number of operations in a JSON body of 1 MiB: over RPC and MCP. */
export const MAX_SENT_OPERATIONS = 5_000

/** Maximum number of unfinished change sets of a store. */
export const MAX_UNFINISHED = 20

/** Days after the preview until a change set that is not applied is canceled, and days for which a finished one is kept. */
export const READY_DAYS = 7
export const KEPT_DAYS = 90

export const ChangeSetId = Uuid.pipe(Schema.brand("ChangeSetId"), Schema.annotate({ identifier: "ChangeSetId" }))
export type ChangeSetId = typeof ChangeSetId.Type

export const ChangeSetState = Schema.Literals([
  "previewing",
  "ready",
  "scheduled",
  "applying",
  "applied",
  "canceled",
  "failed"
])
export type ChangeSetState = typeof ChangeSetState.Type

export const ChangeSetMode = Schema.Literals(["each", "atomic"]).annotate({ message: "must be each or atomic" })
export type ChangeSetMode = typeof ChangeSetMode.Type

/** Maximum number of products that a selection names. */
export const MAX_SELECTED_IDS = 5_000

const SelectionFields = Schema.Struct({
  rules: optional(
    Rules.annotate({
      description: "Rules of automated collections. An empty list selects all products of the store"
    })
  ),
  ids: optional(
    boundedArray(ProductId, MAX_SELECTED_IDS, "ids")
      .check(Schema.isMinLength(1, { message: "must have at least one id" }))
      .annotate({ description: "Ids of products instead of rules. An id that is named twice counts once" })
  ),
  disjunctive: optional(
    Schema.Boolean.annotate({
      description: "false: products must satisfy every rule (default). true: any one rule",
      message: "must be true or false"
    })
  )
})

/** Rules that select the products of a change, or their ids. */
export const Selection = SelectionFields.check(
  Schema.makeFilter<typeof SelectionFields.Type>(
    ({ disjunctive, ids, rules }) => {
      if ((ids === undefined) === (rules === undefined))
        return { path: [], issue: "must have exactly one of rules, ids" }
      return ids !== undefined && disjunctive !== undefined
        ? { path: ["disjunctive"], issue: "must not be combined with `ids`" }
        : undefined
    },
    { toJsonSchema: () => ({ oneOf: [{ required: ["rules"] }, { required: ["ids"] }] }) }
  )
)
export type Selection = typeof Selection.Type

/** Treatment of rows that changed after the preview. */
export const OnConflict = Schema.Literals(["skip", "overwrite"]).annotate({ message: "must be skip or overwrite" })
export type OnConflict = typeof OnConflict.Type

/** Options of an application. */
export const applyOptions = {
  onConflict: optional(
    OnConflict.annotate({
      description:
        "Treatment of resources that changed since the preview. `skip` (default): their operations are refused. `overwrite`: they are applied to the new state"
    })
  )
}

const headerFields = {
  mode: ChangeSetMode.annotate({
    description: `\`each\`: every operation is applied or refused by itself. \`atomic\`: all operations or none, at most ${formatInteger(MAX_ATOMIC_OPERATIONS)}`
  }),
  note: optional(field(text(500), "Reason, shown to members and stored in the journal", "Summer sale")),
  applyAt: optional(
    field(
      Schema.String.check(
        Schema.makeFilter((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(time) && !Number.isNaN(Date.parse(time)), {
          message: "must be a time of RFC 3339, as in 2026-01-31T09:30:00Z"
        })
      ),
      "Time at which an applied change set starts. A time that has passed starts at once",
      "2026-12-24T00:00:00Z"
    )
  )
}

/** Change set without its operations: the first line of NDJSON. */
export const ChangeSetHeader = Schema.Struct(headerFields)
export type ChangeSetHeader = typeof ChangeSetHeader.Type

const selected = { where: Selection, change: Edit }

/** One change of all products that rules match. */
export const SelectedChange = Schema.Struct({ ...headerFields, ...selected })
export type SelectedChange = typeof SelectedChange.Type

const NewFields = Schema.Struct({
  ...headerFields,
  operations: optional(
    boundedArray(Operation, MAX_OPERATIONS).annotate({ description: "Operations, applied in their order" })
  ),
  where: optional(Selection),
  change: optional(Edit)
})

/** Requires either `operations` or both `where` and `change`. */
export const operationsOrSelection = Schema.makeFilter<Pick<typeof NewFields.Type, "operations" | "where" | "change">>(
  ({ change, operations, where }) => {
    if (operations !== undefined) {
      return where === undefined && change === undefined
        ? undefined
        : { path: ["operations"], issue: "must not be combined with `where` and `change`" }
    }
    if (where === undefined && change === undefined)
      return { path: ["operations"], issue: "is missing, or `where` and `change`" }
    if (where === undefined) return { path: ["where"], issue: "is missing" }
    return change === undefined ? { path: ["change"], issue: "is missing" } : undefined
  },
  { toJsonSchema: () => ({ oneOf: [{ required: ["operations"] }, { required: ["where", "change"] }] }) }
)

/** New change set: a list of operations, or one change of all products that rules match. */
export const NewChangeSet = NewFields.annotate({ identifier: "NewChangeSet" }).check(operationsOrSelection)
export type NewChangeSet = typeof NewChangeSet.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Summary of what a change set would do. */
export const Preview = Schema.Struct({
  created: Count,
  updated: Count,
  deleted: Count,
  fields: Schema.Array(Schema.Struct({ field: Schema.String, count: Count })).annotate({
    description: "Members of resources that are updated, most frequent first, and the number of their changes"
  }),
  lowestPrice: Schema.NullOr(Schema.Number).annotate({ description: "Lowest new price; null if no price changes" }),
  highestPrice: Schema.NullOr(Schema.Number).annotate({ description: "Highest new price; null if no price changes" }),
  refusals: Schema.Array(Schema.Struct({ error: Schema.String, count: Count })).annotate({
    description: "The most frequent reasons of refusals"
  }),
  collections: Schema.NullOr(
    Schema.Array(Schema.Struct({ id: CollectionId, title: Schema.String, enters: Count, leaves: Count }))
  ).annotate({
    description:
      "Automated collections that products would enter or leave, and manual ones that the set changes. Null if applying the rules of the store takes too long"
  }),
  events: Schema.Array(
    Schema.Struct({
      kind: StoredEventKind,
      count: Count,
      recipients: Schema.Array(Schema.Struct({ installationId: InstallationId, appName: Schema.String }))
    })
  ).annotate({ description: "Events that would be sent, and the apps that receive them" })
})
export type Preview = typeof Preview.Type

/** Maximum number of failures of pictures that a change set shows. */
export const MAX_IMAGE_FAILURES = 50

/** Pictures that an import copies. Those that fail keep their URLs. */
export const CopiedImages = Schema.Struct({
  copied: Count.annotate({ description: "Pictures that this import copied. Those of earlier imports are used again" }),
  failed: Count.annotate({ description: "Pictures that could not be copied. Products keep their URLs" }),
  failures: Schema.Array(Schema.Struct({ url: Schema.String, reason: Schema.String })).annotate({
    description: `Pictures that could not be copied, at most ${MAX_IMAGE_FAILURES}`
  })
}).annotate({ description: "Pictures of an import that copies them" })
export type CopiedImages = typeof CopiedImages.Type

/** Change set as clients see it. */
export const ChangeSet = Schema.Struct({
  id: ChangeSetId,
  state: ChangeSetState.annotate({
    description:
      "`previewing` → `ready` → `applying` (or `scheduled` before) → `applied`. `canceled` and `failed` end it earlier"
  }),
  mode: ChangeSetMode,
  note: Schema.NullOr(Schema.String),
  where: Schema.NullOr(Schema.Unknown).annotate({
    description: "Rules that selected the products, if any. Null if ids did: the results name them"
  }),
  change: Schema.NullOr(Schema.Unknown).annotate({ description: "Change of the selected products, if any" }),
  import: Schema.NullOr(
    Schema.Struct({ kind: DataKind, created: Count, updated: Count, images: Schema.optionalKey(CopiedImages) })
  ).annotate({
    description: "Import of a file, and the rows that it created and updated; null for other sets"
  }),
  counts: Schema.Struct({
    total: Count.annotate({ description: "Operations" }),
    changed: Count.annotate({ description: "Operations that create, change or delete something" }),
    unchanged: Count,
    refused: Count
  }).annotate({ description: "Results: those of the preview until the set is applied" }),
  progress: Schema.Struct({ done: Count, total: Count }).annotate({
    description: "Operations of the current step that are done"
  }),
  preview: Schema.NullOr(Preview).annotate({ description: "Null until the preview is complete" }),
  undoes: Schema.NullOr(ChangeSetId).annotate({ description: "Change set that this one undoes" }),
  undoneBy: Schema.NullOr(ChangeSetId).annotate({ description: "Newest applied change set that undoes this one" }),
  actor: Schema.Struct({ type: ActorType, id: Schema.toType(Uuid) }),
  approvedBy: Schema.NullOr(MerchantId),
  onConflict: OnConflict.annotate({ description: "Treatment of rows that changed after the preview" }),
  failure: Schema.NullOr(Schema.String).annotate({ description: "Why the set failed or was canceled by the service" }),
  applyAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  previewedAt: Schema.NullOr(Timestamp),
  appliedAt: Schema.NullOr(Timestamp),
  finishedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ChangeSet" })
export type ChangeSet = typeof ChangeSet.Type

/** Kinds of resources that change sets change. Imports change orders and customers, too. */
export const ChangedKind = Schema.Literals([...CatalogKind.literals, "order", "customer"])
export type ChangedKind = typeof ChangedKind.Type

export const Outcome = Schema.Literals(["created", "updated", "deleted", "unchanged", "refused"])
export type Outcome = typeof Outcome.Type

/** Result of one operation. */
export const OperationResult = Schema.Struct({
  index: Count.annotate({ description: "Position of the operation, from 0" }),
  outcome: Outcome,
  isApplied: Schema.Boolean.annotate({
    description: "false: the result of the preview. true: the result of the application"
  }),
  resource: Schema.NullOr(ChangedKind),
  id: Schema.NullOr(Schema.toType(Uuid)).annotate({
    description: "Id of the resource; null for one that the preview would create, and if none was found"
  }),
  version: Schema.NullOr(Schema.Int).annotate({
    description: "Version after the operation; before it is applied, the version that the preview saw"
  }),
  entryId: Schema.NullOr(Schema.toType(EntryId)).annotate({ description: "Entry of the journal, and id of the event" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the operation is refused" }),
  issues: Schema.NullOr(Schema.Array(Schema.String)),
  line: Schema.NullOr(Schema.Int).annotate({ description: "Line of the row in the file of an import" }),
  externalId: Schema.NullOr(Schema.String).annotate({ description: "Id of the row in the file of an import" })
}).annotate({ identifier: "OperationResult" })
export type OperationResult = typeof OperationResult.Type
