import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { listOf } from "../../domain/Bounded.ts"
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
  MAX_DISPLAY_NAMES,
  DisplayName
} from "../../domain/journal/Activity.ts"
import { ResourceKind } from "../../domain/journal/Kinds.ts"
import {
  ChangedSince,
  EntryNotOwn,
  MAX_UNDONE,
  NotKept,
  NotUndoable,
  TooMuchToUndo,
  UndoResult
} from "../../domain/journal/Undo.ts"
import { Instant } from "../../domain/Time.ts"
import { Uuid } from "../../domain/Uuid.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields, Page, pageFields, dryRunFields, WriteError, WriteResult } from "./CommonSchemas.ts"

/*
 * What was written in a store, by whom. Agents see the entries of resources that they may read.
 */

/** The newest first: every change of the catalog, and of what members administer, through any surface. */
export const listActivity = Rpc.make("activity.list", {
  payload: {
    ...pageFields(EntryId),
    actorType: optional(ActorType.annotate({ description: "Only what such actors wrote" })),
    actorId: optional(withDescription(Uuid, "Only what this installation, merchant or agent wrote, by its id")),
    surface: optional(EntrySurface.annotate({ description: "Only what came through this" })),
    resource: optional(
      ResourceKind.annotate({
        description:
          "Only changes of such resources. Agents are told of products and collections; of members and subscriptions owners alone are told"
      })
    ),
    resourceId: optional(
      withDescription(
        Uuid,
        "Only changes of this resource, by its id: of settings the store's, of a member the merchant's"
      )
    ),
    since: optional(
      withDescription(Instant, "Only what was written at this time or later: RFC 3339, as in 2026-01-31T09:30:00Z")
    ),
    until: optional(withDescription(Instant, "Only what was written before this time, likewise"))
  },
  success: Page(ActivityEntry, EntryId)
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Lists who changed which product or collection, the newest first: when, through which surface, and each member that differs as it was and as it is. Use it to see what happened before you change something, to check what you did, and to find the entry to name to activity.undo. Long differences are cut short; activity.get has them whole."
  )

export const getActivity = Rpc.make("activity.get", {
  payload: { ...storeFields, id: EntryId },
  success: ActivityEntry,
  error: EntryNotFound
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(ToolDescription, "Answers one entry of the activity with all of what it keeps of the change.")

/** What people call those who wrote and what they wrote, as far as the store still has them. */
export const listNames = Rpc.make("activity.names", {
  payload: {
    ...storeFields,
    ids: listOf(Uuid, MAX_DISPLAY_NAMES, "ids").annotate({
      description: "Of products, collections, agents, installations, members and subscriptions of the store",
      message: `must be a list of at most ${MAX_DISPLAY_NAMES} ids`
    })
  },
  success: Schema.Array(DisplayName)
})

const UndoError = Schema.Union([
  WriteError,
  EntryNotOwn,
  ChangedSince,
  NotKept,
  TooMuchToUndo,
  SlugTaken,
  ProductLimitReached,
  ProductTooLarge,
  CollectionLimitReached
])

/**
 * Takes one change of the catalog back, as a new one with its own event: a resource that was made goes, one that was deleted comes back
 * with its id and its places in manual collections, and members that were changed are as before. Refused where later
 * changes overlap. An undo is an entry, and can be undone. Agents undo what they wrote themselves.
 */
export const undoActivity = Rpc.make("activity.undo", {
  payload: { ...dryRunFields, id: withDescription(EntryId, "The entry to undo") },
  success: WriteResult(UndoResult),
  error: Schema.Union([EntryNotFound, NotUndoable, UndoError])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Takes back one change that you made, by the id of its entry in the activity: what you created is deleted, what you deleted comes back, and what you changed is as before. It is a new change, which can be undone in turn. It is refused with ChangedSince where others changed the same members since, and names their entries: then write what is wanted instead. Try it with `dryRun` first. Example: { "idempotencyKey": "…", "id": "…" }'
  )

/** Takes back all that one actor wrote in a span of time, the newest first: all of it or nothing. */
export const undoActivitySpan = Rpc.make("activity.undoSpan", {
  payload: {
    ...dryRunFields,
    actorId: withDescription(Uuid, "Whose changes: an installation, a merchant or an agent, by its id"),
    since: withDescription(
      Instant,
      `What was written at this time or later: RFC 3339, as in 2026-01-31T09:30:00Z. At most ${MAX_UNDONE} entries`
    ),
    until: withDescription(Instant, "What was written before this time, likewise")
  },
  success: WriteResult(UndoResult),
  error: UndoError
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    `Takes back all that you wrote in a span of time, the newest first and at most ${MAX_UNDONE} changes: all of it or nothing. \`actorId\` is your own id, which the entries of your changes in activity.list name as their actor. Use it when a whole piece of your work was wrong, and activity.undo for one change. Try it with \`dryRun\` first.`
  )

/** Who changed what, and how to take it back. */
export class ActivityRpcs extends RpcGroup.make(
  listActivity,
  getActivity,
  listNames,
  undoActivity,
  undoActivitySpan
).middleware(Authentication) {}
