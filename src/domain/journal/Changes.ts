import { Context, Schema, type Stream } from "effect"
import { Timestamp, Version } from "../catalog/Fields.ts"
import { EventId } from "../Events.ts"
import { MAX_JOURNAL_DAYS } from "../OperatorLimits.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { EntrySurface } from "./Activity.ts"
import { CatalogKind } from "./Kinds.ts"

/** Maximum number of followers of one store in a process. */
export const MAX_FOLLOWERS = 64

/** Start of a change stream. All following changes have greater ids. */
export const Following = Schema.TaggedStruct("Following", {
  after: EventId.annotate({ description: "Id to resume after, until the first change arrives" })
})
export type Following = typeof Following.Type

/** Committed change of a resource. Clients read the current resource by its id. */
export const Changed = Schema.TaggedStruct("Changed", {
  id: EventId.annotate({
    description: "Id of the change and of its event: the id to resume after"
  }),
  kind: Schema.Literals(["created", "updated", "deleted"]),
  occurredAt: Timestamp,
  actor: Schema.Struct({ type: Schema.Literals(["app", "merchant", "agent"]), id: Uuid }),
  surface: EntrySurface.annotate({ description: "Surface through which the write came" }),
  resource: CatalogKind,
  resourceId: Uuid,
  version: Version.annotate({ description: "Version that the change created; for a deletion, the last version" }),
  members: Schema.Array(Schema.String).annotate({
    description: "Members of the resource that an update changed",
    examples: [["price", "updatedAt", "version"]]
  })
})
export type Changed = typeof Changed.Type

/** Items of a change stream: `Following`, then all changes. */
export const ChangeStreamItem = Schema.Union([Following, Changed])
export type ChangeStreamItem = typeof ChangeStreamItem.Type

export class ChangesGone extends Schema.TaggedError<ChangesGone>()("ChangesGone", {}) {
  override get message() {
    return `\`after\` is older than the changes that are kept, for up to ${MAX_JOURNAL_DAYS} days, or is not the id of a change; read the resources again and follow them without \`after\``
  }
}

export class TooManyFollowers extends Schema.TaggedError<TooManyFollowers>()("TooManyFollowers", {}) {
  override get message() {
    return `The store has ${MAX_FOLLOWERS} followers, the maximum; close unused connections and try again`
  }
}

/** Live change streams of stores. */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * Streams the start position, then each change of these resources committed after `after`, or from now on, exactly
     * once.
     * Changes arrive in ascending order of id, usually within a second; changes of one resource arrive in commit order.
     * A change waits for earlier writes that are still in progress. A slow follower delays only its own stream, and
     * waiting changes are not buffered for it.
     */
    readonly follow: (
      store: StoreId,
      after: EventId | undefined,
      resources: ReadonlyArray<CatalogKind>
    ) => Stream.Stream<ChangeStreamItem, ChangesGone | TooManyFollowers>
  }
>()("domain/journal/Changes") {}
