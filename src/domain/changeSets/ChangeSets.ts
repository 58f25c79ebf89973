import { Context, type Effect, type Stream } from "effect"
import type { Grants } from "../access/AccessRule.ts"
import type { ApprovalNeeded, BudgetSpent } from "../access/Agents.ts"
import type { InvalidToken } from "../access/Tokens.ts"
import { type ScopeGroup, SEES_PRODUCTS } from "../access/Visibility.ts"
import type { Actor } from "../Actor.ts"
import type { ImportSettings } from "../imports/ImportFile.ts"
import type { TooManyFollowers } from "../journal/Changes.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { Write, WriteContext } from "../Write.ts"
import type { ChangeSetHeader, ChangeSetId, OnConflict, Outcome, SelectedChange } from "./ChangeSet.ts"
import type {
  ChangeSetNotFound,
  ChangeSetRefused,
  ChangeSetStateMismatch,
  ChangeSetUndone,
  NothingToUndo,
  OperationScopeMissing,
  TooManyChangeSets,
  TooManyOperations
} from "./Refusals.ts"
import { scopesOfEdit } from "./Edit.ts"

/** Permission of a caller: scopes of an app or agent, or all of a member; and the sets that it may see. */
export interface ChangeSetRight {
  readonly scopes: Grants["scopes"]
  /** Only sets of this actor, unless null. */
  readonly ownId: string | null
}

/** Page of change sets. `isUnfinished`: only those that can still be applied or canceled. */
export interface ChangeSetPage extends PageRequest<ChangeSetId> {
  readonly isUnfinished?: boolean | undefined
}

/** Change of the JSON of the operation at a position. */
export interface StagedChange {
  readonly index: number
  readonly change: (json: JsonText) => JsonText
}

/** Content of a new change set: staged operations, or a change of selected products. */
export type NewContent =
  { readonly operations: number; readonly scopes: ReadonlySet<ScopeGroup> } | Pick<SelectedChange, "where" | "change">

/** Returns the groups of scopes that a content needs. Rules tell which products have which values, as a read does. */
export const scopeGroupsOf = (content: NewContent): ReadonlyArray<ScopeGroup> => {
  if ("operations" in content) return [...content.scopes]
  const change = scopesOfEdit(content.change)
  return content.where.rules === undefined ? [change] : [change, SEES_PRODUCTS]
}

/** Finds a group of which no scope is granted. */
export const findMissingScopes = <Group extends ReadonlyArray<string>>(
  groups: ReadonlyArray<Group>,
  granted: ReadonlyArray<string>
): Group | undefined => groups.find((group) => !group.some((scope) => granted.includes(scope)))

/**
 * Many changes of a store at once (docs/change-sets.md): previewed, applied in the background, and undone as one.
 */
export class ChangeSets extends Context.Service<
  ChangeSets,
  {
    /** Begins to receive the operations of a new change set. */
    readonly begin: (store: StoreId) => Effect.Effect<ChangeSetId>
    /** Stores operations of a set that is being received, each as JSON, from the position `first` on. */
    readonly stage: (
      store: StoreId,
      id: ChangeSetId,
      first: number,
      operations: ReadonlyArray<JsonText>
    ) => Effect.Effect<void>
    /** Changes staged operations of a set that is being received. */
    readonly restage: (store: StoreId, id: ChangeSetId, changes: ReadonlyArray<StagedChange>) => Effect.Effect<void>
    /** Discards a set that is being received. Changes nothing if it was created. */
    readonly discard: (store: StoreId, id: ChangeSetId) => Effect.Effect<void>
    /** Creates a change set and starts its preview. */
    readonly create: (
      context: WriteContext,
      id: ChangeSetId,
      header: ChangeSetHeader,
      content: NewContent
    ) => Write<JsonText, StoreNotFound | TooManyChangeSets | TooManyOperations>
    /**
     * Creates the import of staged rows, and starts it. A context with `dryRun` only counts what the rows would do; the set
     * then ends as `canceled`.
     */
    readonly import: (
      context: WriteContext,
      id: ChangeSetId,
      settings: ImportSettings,
      rows: number
    ) => Write<JsonText, StoreNotFound | TooManyChangeSets>
    /** Lists change sets, newest first. */
    readonly list: (
      store: StoreId,
      page: ChangeSetPage,
      right: ChangeSetRight
    ) => Effect.Effect<DocumentPage<ChangeSetId>>
    readonly get: (store: StoreId, id: ChangeSetId, right: ChangeSetRight) => Effect.Effect<JsonText, ChangeSetNotFound>
    /**
     * Streams a set, at once and whenever its state, counts or progress change. Ends when it is ready, applied, canceled or
     * failed.
     */
    readonly follow: (
      store: StoreId,
      id: ChangeSetId,
      right: ChangeSetRight
    ) => Stream.Stream<JsonText, ChangeSetNotFound | TooManyFollowers>
    /**
     * Lists the results of operations in their order. The cursor is the position of the last one. Needs the scopes of the
     * set, because results name the resources that it changes.
     */
    readonly results: (
      store: StoreId,
      id: ChangeSetId,
      page: PageRequest<string>,
      outcome: Outcome | undefined,
      right: ChangeSetRight
    ) => Effect.Effect<DocumentPage<string>, ChangeSetNotFound | OperationScopeMissing>
    /**
     * Applies a change set that is ready. Its changes stay those of its author; a member who applies the set of another
     * author approves it. The budget of an agent that applies its own set counts each row that changes, unless `by` is
     * null, for a proposal.
     */
    readonly apply: (
      store: StoreId,
      id: ChangeSetId,
      onConflict: OnConflict,
      right: ChangeSetRight,
      by: Actor | null
    ) => Write<
      JsonText,
      | ChangeSetNotFound
      | ChangeSetStateMismatch
      | ChangeSetRefused
      | OperationScopeMissing
      | InvalidToken
      | ApprovalNeeded
      | BudgetSpent
    >
    /** Cancels a change set. One that is being applied stops after the current batch, and keeps what it has changed. */
    readonly cancel: (
      store: StoreId,
      id: ChangeSetId,
      right: ChangeSetRight
    ) => Write<JsonText, ChangeSetNotFound | ChangeSetStateMismatch>
    /** Creates a change set that undoes an applied one, or the applied part of one that was canceled or failed. */
    readonly undo: (
      context: WriteContext,
      id: ChangeSetId,
      right: ChangeSetRight
    ) => Write<
      JsonText,
      | ChangeSetNotFound
      | ChangeSetStateMismatch
      | ChangeSetUndone
      | NothingToUndo
      | StoreNotFound
      | TooManyChangeSets
      | TooManyOperations
    >
    /** Cancels sets that were not applied in time, deletes expired ones, and returns their number. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/ChangeSets") {}
