import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { boundedArray } from "../../domain/json/Bounded.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { CollectionLimitReached } from "../../domain/catalog/Collection.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { ProductLimitReached, ProductTooLarge } from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import {
  ActivityEntry,
  ActorType,
  EntryId,
  EntryNotFound,
  EntrySurface,
  FieldsEntry,
  MAX_DISPLAY_NAMES,
  MAX_EXAMINED_ENTRIES,
  DisplayName
} from "../../domain/journal/Activity.ts"
import { CatalogKind, ResourceKind } from "../../domain/journal/Kinds.ts"
import {
  ChangedSince,
  EntryNotOwn,
  MAX_UNDONE,
  OldValuesUnavailable,
  NotUndoable,
  TooMuchToUndo,
  UndoResult
} from "../../domain/journal/Undo.ts"
import { Instant } from "../../domain/Time.ts"
import { Uuid } from "../../domain/Uuid.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, Page, pageFields, dryRunFields, WriteError, WriteResult } from "./CommonSchemas.ts"

/* The activity of a store: who changed what. Agents read the entries of resources that they may read. */

/** Lists changes of the catalog and of administrative resources, newest first. Members, and agents for their scopes. */
export const listActivity = Rpc.make("activity.list", {
  payload: {
    ...pageFields(EntryId),
    actorType: optional(ActorType.annotate({ description: "Only changes by this type of actor" })),
    actorId: optional(withDescription(Uuid, "Only changes by the installation, merchant or agent with this id")),
    surface: optional(EntrySurface.annotate({ description: "Only changes through this surface" })),
    resource: optional(
      ResourceKind.annotate({
        description:
          "Only changes of this kind of resource. Agents read products and collections. Only owners read members and subscriptions"
      })
    ),
    resourceId: optional(
      withDescription(
        Uuid,
        "Only changes of the resource with this id. Settings have the id of the store, members that of the merchant"
      )
    ),
    collapseChangeSets: optional(
      Schema.Boolean.annotate({
        description: "true: of consecutive entries of a change set, only the newest on each page",
        message: "must be true or false"
      })
    ),
    since: optional(
      withDescription(Instant, "Only changes at or after this time, in RFC 3339, such as 2026-01-31T09:30:00Z")
    ),
    until: optional(withDescription(Instant, "Only changes before this time, in RFC 3339"))
  },
  success: Page(ActivityEntry, EntryId)
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Lists changes of products and collections, newest first: actor, time, surface, and each changed field with its old and new value. Use it to see recent changes before you write, to check your own changes, and to find the entry id for activity.undo. Long differences are cut; activity.get returns them in full. Example: { "resource": "product", "since": "2026-01-31T09:30:00Z" }'
  )

/** Reads one entry. Members, and agents for their scopes. */
export const getActivity = Rpc.make("activity.get", {
  payload: { ...storeFields, id: EntryId },
  success: ActivityEntry,
  error: EntryNotFound
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Reads one entry of the activity by id, with all stored details of the change. Use it if activity.list cut the differences."
  )

/** Lists the entries that last set the fields of a product or collection. Members, and agents for their scopes. */
export const listFieldEntries = Rpc.make("activity.fields", {
  payload: {
    ...storeFields,
    resource: CatalogKind,
    resourceId: withDescription(Uuid, "Id of the product or collection")
  },
  success: Schema.Struct({
    items: Schema.Array(FieldsEntry).annotate({
      description: `Newest first. Fields that were last set before the last ${MAX_EXAMINED_ENTRIES} entries are absent`
    })
  })
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Returns who last set each field of a product or collection, when, through which surface and with which reason. Use it before you overwrite a field that a person may have set on purpose. Example: { "resource": "product", "resourceId": "<product id>" }'
  )

/** Reads display names of actors and resources. Omits those that no longer exist. Members only. */
export const listNames = Rpc.make("activity.names", {
  payload: {
    ...storeFields,
    ids: boundedArray(Uuid, MAX_DISPLAY_NAMES, "ids").annotate({
      description:
        "Ids of products, collections, agents, installations, members, subscriptions and change sets of the store",
      message: `must be a list of at most ${MAX_DISPLAY_NAMES} ids`
    })
  },
  success: Schema.Array(DisplayName)
})

const UndoError = Schema.Union([
  WriteError,
  EntryNotOwn,
  ChangedSince,
  OldValuesUnavailable,
  TooMuchToUndo,
  SlugTaken,
  ProductLimitReached,
  ProductTooLarge,
  CollectionLimitReached
])

/**
 * Undoes one change of the catalog. The undo is a new change with an event and an entry, and can be undone. It deletes a
 * created resource, restores a deleted one with its id and its positions in manual collections, or restores changed fields.
 * Fails with `ChangedSince` if later changes overlap. Members; agents for their own changes.
 */
export const undoActivity = Rpc.make("activity.undo", {
  payload: { ...dryRunFields, id: withDescription(EntryId, "Id of the entry to undo") },
  success: WriteResult(UndoResult),
  error: Schema.Union([EntryNotFound, NotUndoable, UndoError])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Undoes one of your own changes, by the id of its entry in activity.list. A created resource is deleted, a deleted one is restored with its id, and changed fields get their old values. The undo is a new change and can itself be undone. Fails with ChangedSince and the ids of later entries if the same fields have changed since; write the values you need instead. Try it with `dryRun` first. Example: { "idempotencyKey": "<new UUID>", "id": "<entry id>" }'
  )

/** Undoes all changes of one actor in a time span, newest first, all or none. Members; agents for their own changes. */
export const undoActivitySpan = Rpc.make("activity.undoSpan", {
  payload: {
    ...dryRunFields,
    actorId: withDescription(Uuid, "Id of the installation, merchant or agent whose changes are undone"),
    since: withDescription(
      Instant,
      `Start of the span, inclusive, in RFC 3339, such as 2026-01-31T09:30:00Z. The span may hold at most ${MAX_UNDONE} entries`
    ),
    until: withDescription(Instant, "End of the span, exclusive, in RFC 3339")
  },
  success: WriteResult(UndoResult),
  error: UndoError
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    `Undoes all of your own changes in a time span, newest first: at most ${MAX_UNDONE} changes, all or none. \`actorId\` is your own id, the actor of your entries in activity.list. Use it if a whole task went wrong; use activity.undo for one change. Try it with \`dryRun\` first. Example: { "idempotencyKey": "<new UUID>", "actorId": "<your id>", "since": "2026-01-31T09:30:00Z", "until": "2026-01-31T10:00:00Z" }`
  )

/** Activity of a store, and undo. */
export class ActivityRpcs extends RpcGroup.make(
  listActivity,
  getActivity,
  listFieldEntries,
  listNames,
  undoActivity,
  undoActivitySpan
).middleware(Authentication) {}
