import { Rpc, RpcGroup } from "@effect/rpc"
import { optional } from "../domain/catalog/Fields.ts"
import { ActivityEntry, ActorType, EntryId, EntryNotFound, ResourceKind } from "../domain/journal/Activity.ts"
import { Instant } from "../domain/Time.ts"
import { Uuid } from "../domain/Uuid.ts"
import { CallersOf, EVERYBODY, Identified } from "./Principal.ts"
import { inStore, Page, paged } from "./Shapes.ts"

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

/** Who changed what. */
export class ActivityRpcs extends RpcGroup.make(listActivity, getActivity).middleware(Identified) {}
