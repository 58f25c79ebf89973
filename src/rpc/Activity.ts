import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { WorkWeight } from "../domain/Bulkhead.ts"
import { CollectionLimitReached } from "../domain/catalog/Collection.ts"
import { optional } from "../domain/catalog/Fields.ts"
import { ProductLimitReached, ProductTooLarge } from "../domain/catalog/Product.ts"
import { SlugTaken } from "../domain/catalog/Slug.ts"
import { ActivityEntry, ActorType, EntryId, EntryNotFound, ResourceKind } from "../domain/journal/Activity.ts"
import { ChangedSince, EntryNotOwn, MAX_UNDONE, NotKept, TooMuchToUndo, Undone } from "../domain/journal/Undo.ts"
import { Instant } from "../domain/Time.ts"
import { Uuid } from "../domain/Uuid.ts"
import { CallersOf, EVERYBODY, Identified } from "./Principal.ts"
import { inStore, keyed, Page, paged, WriteRefused, Written } from "./Shapes.ts"

/*
 * What was written in a store, by whom. Agents see the entries of resources that they may read.
 */

/** The newest first: every change of a product or collection, through any surface. */
export const listActivity = Rpc.make("activity.list", {
  payload: {
    ...paged(EntryId),
    actorType: optional(ActorType.annotations({ description: "Only what such actors wrote" })),
    actorId: optional(
      Uuid.annotations({ description: "Only what this installation, merchant or agent wrote, by its id" })
    ),
    resource: optional(ResourceKind.annotations({ description: "Only changes of such resources" })),
    resourceId: optional(Uuid.annotations({ description: "Only changes of this product or collection, by its id" })),
    since: optional(
      Instant.annotations({
        description: "Only what was written at this time or later: RFC 3339, as in 2026-01-31T09:30:00Z"
      })
    ),
    until: optional(Instant.annotations({ description: "Only what was written before this time, likewise" }))
  },
  success: Page(ActivityEntry, EntryId)
}).annotate(CallersOf, EVERYBODY)

export const getActivity = Rpc.make("activity.get", {
  payload: { ...inStore, id: EntryId },
  success: ActivityEntry,
  error: EntryNotFound
}).annotate(CallersOf, EVERYBODY)

const UndoRefused = Schema.Union(
  WriteRefused,
  EntryNotOwn,
  ChangedSince,
  NotKept,
  TooMuchToUndo,
  SlugTaken,
  ProductLimitReached,
  ProductTooLarge,
  CollectionLimitReached
)

/**
 * Takes one change back, as a new one with its own event: a resource that was made goes, one that was deleted comes back
 * with its id and its places in manual collections, and members that were changed are as before. Refused where later
 * changes overlap. An undo is an entry, and can be undone. Agents undo what they wrote themselves.
 */
export const undoActivity = Rpc.make("activity.undo", {
  payload: { ...keyed, id: EntryId.annotations({ description: "The entry to undo" }) },
  success: Written(Undone),
  error: Schema.Union(EntryNotFound, UndoRefused)
}).annotate(CallersOf, EVERYBODY)

/** Takes back all that one actor wrote in a span of time, the newest first: all of it or nothing. */
export const undoActivitySpan = Rpc.make("activity.undoSpan", {
  payload: {
    ...keyed,
    actorId: Uuid.annotations({ description: "Whose changes: an installation, a merchant or an agent, by its id" }),
    since: Instant.annotations({
      description: `What was written at this time or later: RFC 3339, as in 2026-01-31T09:30:00Z. At most ${MAX_UNDONE} entries`
    }),
    until: Instant.annotations({ description: "What was written before this time, likewise" })
  },
  success: Written(Undone),
  error: UndoRefused
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, EVERYBODY)

/** Who changed what, and how to take it back. */
export class ActivityRpcs extends RpcGroup.make(listActivity, getActivity, undoActivity, undoActivitySpan).middleware(
  Identified
) {}
