import { Context, Schema, type Stream } from "effect"
import { Timestamp, Version } from "../catalog/Fields.ts"
import { EventId } from "../Events.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { EntrySurface } from "./Activity.ts"
import { ENTRY_DAYS } from "./Journal.ts"
import { CatalogKind } from "./Kinds.ts"

/** Those who follow one store in a process, at most. */
export const MAX_FOLLOWERS = 64

/** From where a store is followed: what is told next has a greater id. */
export const Following = Schema.TaggedStruct("Following", {
  after: EventId.annotate({ description: "What to resume after, until a change has been told" })
})
export type Following = typeof Following.Type

/** A change of a resource as it was committed. What it says now is asked for by its id. */
export const Changed = Schema.TaggedStruct("Changed", {
  id: EventId.annotate({
    description: "Of the change, and of the event that tells apps of it: what to resume after"
  }),
  kind: Schema.Literals(["created", "updated", "deleted"]),
  occurredAt: Timestamp,
  actor: Schema.Struct({ type: Schema.Literals(["app", "merchant", "agent"]), id: Uuid }),
  surface: EntrySurface.annotate({ description: "Through what it was written" }),
  resource: CatalogKind,
  resourceId: Uuid,
  version: Version.annotate({ description: "The version that the change made; of a deletion, the one it ended" }),
  members: Schema.Array(Schema.String).annotate({
    description: "The members of the resource that an update changed",
    examples: [["price", "updatedAt", "version"]]
  })
})
export type Changed = typeof Changed.Type

/** What a follower is told: where it begins, then every change. */
export const Told = Schema.Union([Following, Changed])
export type Told = typeof Told.Type

export class ChangesGone extends Schema.TaggedError<ChangesGone>()("ChangesGone", {}) {
  override get message() {
    return `Changes cannot be told from there: \`after\` is older than the ${ENTRY_DAYS} days that they are kept, or is no id of a change; read the resources anew, and follow them without it`
  }
}

export class TooManyFollowers extends Schema.TaggedError<TooManyFollowers>()("TooManyFollowers", {}) {
  override get message() {
    return `The store is followed ${MAX_FOLLOWERS} times already; close what is no longer looked at, and try again`
  }
}

/** The changes of a store as they are committed, for those who look on. */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * Tells where it begins, and then each change of these resources that was committed `after`, or from now on: none is
     * missed, and none is told twice. They come in ascending order of id, in which the changes of one resource are in the
     * order of their commits, and within a second or so; behind a write that is under way, when it has ended. A follower
     * that is slow is waited for, and holds nothing of what waits.
     */
    readonly follow: (
      store: StoreId,
      after: EventId | undefined,
      resources: ReadonlyArray<CatalogKind>
    ) => Stream.Stream<Told, ChangesGone | TooManyFollowers>
  }
>()("domain/journal/Changes") {}
