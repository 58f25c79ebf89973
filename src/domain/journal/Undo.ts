import { Context, Schema } from "effect"
import type { AgentScopeMissing } from "../access/Agents.ts"
import type { CollectionLimitReached } from "../catalog/Collection.ts"
import type { ProductLimitReached, ProductTooLarge } from "../catalog/Product.ts"
import type { SlugTaken } from "../catalog/Slug.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import { EntryId, type EntryNotFound } from "./Activity.ts"
import { AdministeredKind, CatalogKind } from "./Kinds.ts"

/** Maximum number of entries undone at once. */
export const MAX_UNDONE = 1_000

/** Maximum number of later entries examined, for all resources together. */
export const MAX_SINCE = 10_000

/** Maximum number of entries listed in an error. */
const MAX_LISTED = 100

const Named = Schema.toType(EntryId)

/** Later changes overlap with the entries to undo, so that an undo would revert more than requested. */
export class ChangedSince extends Schema.TaggedError<ChangedSince>()("ChangedSince", {
  overlaps: Schema.Array(Schema.Struct({ id: Named, changedBy: Schema.Array(Named) }))
}) {
  /** Creates the error with the first {@link MAX_LISTED} overlaps. */
  static of(overlaps: ReadonlyArray<{ readonly id: EntryId; readonly changedBy: ReadonlyArray<EntryId> }>) {
    const listed = overlaps.slice(0, MAX_LISTED)
    return new ChangedSince({
      overlaps: listed.map(({ changedBy, id }) => ({ id, changedBy: changedBy.slice(0, MAX_LISTED) }))
    })
  }

  override get message() {
    return "Later changes overlap with the entries to undo; undo the later entries first, or write the wanted values"
  }

  get issues() {
    return this.overlaps.map(({ changedBy, id }) => `${id}: changed since by ${changedBy.join(", ")}`)
  }
}

/** The journal does not contain the old values of all members. */
export class OldValuesUnavailable extends Schema.TaggedError<OldValuesUnavailable>()("OldValuesUnavailable", {
  id: Named,
  members: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Entry ${this.id} cannot be undone: the journal does not contain the old values of ${this.members.join(", ")}. Write the wanted values`
  }
}

export class TooMuchToUndo extends Schema.TaggedError<TooMuchToUndo>()("TooMuchToUndo", {}) {
  override get message() {
    return `At most ${MAX_UNDONE} entries can be undone at once, with at most ${MAX_SINCE} later changes of their resources; undo shorter time ranges, newest first`
  }
}

export class EntryNotOwn extends Schema.TaggedError<EntryNotOwn>()("EntryNotOwn", {}) {
  override get message() {
    return "Agents can undo only their own writes; ask a member of the store to undo it"
  }
}

/** Section of the settings in which each kind is administered. */
const PLACES: Record<AdministeredKind, string> = {
  settings: "settings",
  member: "members",
  invitation: "members",
  agent: "agents",
  installation: "apps",
  subscription: "apps and their plans"
}

/** The entry belongs to a resource that members administer. */
export class NotUndoable extends Schema.TaggedError<NotUndoable>()("NotUndoable", {
  id: Named,
  resource: AdministeredKind
}) {
  override get message() {
    return `Only changes of products and collections can be undone; revert entry ${this.id} by hand, under the store's ${PLACES[this.resource]}`
  }
}

/** Results of an undo, in the order of execution. */
export const UndoResult = Schema.Struct({
  undone: Schema.Array(
    Schema.Struct({
      undoes: Named.annotate({ description: "Entry that was undone" }),
      id: Schema.NullOr(Named).annotate({
        description: "Entry of the undo, by which it can be undone in turn; null if nothing was left to undo"
      }),
      resource: CatalogKind,
      resourceId: Schema.toType(Uuid),
      version: Schema.NullOr(Schema.Int).annotate({ description: "Current version; null if the resource is deleted" })
    })
  )
}).annotate({ identifier: "Undone" })
export type UndoResult = typeof UndoResult.Type

/** Permission of the caller: these kinds, and only changes of `ownId` unless it is null. */
export interface UndoRight {
  readonly kinds: ReadonlyArray<CatalogKind>
  readonly ownId: string | null
}

/** Changes of one actor from `since` (inclusive) to `until` (exclusive): RFC 3339 in UTC with milliseconds. */
export interface UndoSpan {
  readonly actorId: string
  readonly since: string
  readonly until: string
}

export type UndoRefused =
  | StoreNotFound
  | AgentScopeMissing
  | EntryNotOwn
  | ChangedSince
  | OldValuesUnavailable
  | TooMuchToUndo
  | SlugTaken
  | ProductLimitReached
  | ProductTooLarge
  | CollectionLimitReached

/**
 * Reverts changes in the journal by new writes with their own events and entries, all or nothing. A change with
 * overlapping later changes cannot be undone unless those are undone too.
 */
export class Undo extends Context.Service<
  Undo,
  {
    readonly undo: (
      store: StoreId,
      id: EntryId,
      right: UndoRight
    ) => Write<UndoResult, EntryNotFound | NotUndoable | UndoRefused>
    /** Undoes a time range, newest change first. Skips changes that are undone already or administered by members. */
    readonly undoSpan: (store: StoreId, span: UndoSpan, right: UndoRight) => Write<UndoResult, UndoRefused>
  }
>()("domain/journal/Undo") {}
