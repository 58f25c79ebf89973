import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { Proposed, TooManyProposals } from "../../domain/access/Proposals.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { optional, withDescription } from "../../domain/catalog/Fields.ts"
import {
  applyOptions,
  ChangeSet,
  ChangeSetHeader,
  ChangeSetId,
  MAX_SENT_OPERATIONS,
  OperationResult,
  operationsOrSelection,
  Outcome,
  Selection
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
import { Edit } from "../../domain/changeSets/Edit.ts"
import { Operation } from "../../domain/changeSets/Operation.ts"
import { TooManyFollowers } from "../../domain/journal/Changes.ts"
import { boundedArray } from "../../domain/json/Bounded.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, StartsJob, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { keyedFields, Page, pageFields, reasonFields, storeFields, WriteError } from "./CommonSchemas.ts"

const setFields = { id: withDescription(ChangeSetId, "Id of the change set") }

/**
 * Creates a change set and starts its preview. Nothing changes before it is applied. Members, and agents with the write
 * scopes of the operations.
 */
export const createChangeSet = Rpc.make("changeSets.create", {
  payload: Schema.Struct({
    ...keyedFields,
    ...ChangeSetHeader.fields,
    operations: optional(
      boundedArray(Operation, MAX_SENT_OPERATIONS).annotate({
        description: `At most ${MAX_SENT_OPERATIONS} operations in their order; POST /change-sets takes more`
      })
    ),
    where: optional(Selection),
    change: optional(Edit)
  }).check(operationsOrSelection),
  success: ChangeSet,
  error: Schema.Union([WriteError, AgentScopeMissing, TooManyChangeSets, TooManyOperations])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(StartsJob, true)
  .annotate(WorkWeight, "heavy")
  .annotate(
    ToolDescription,
    'Prepares many changes at once and previews them; nothing changes yet. Use it instead of many single writes. Send `operations`, or `where` and `change` to change all products that rules match (the rules of automated collections; an empty list selects all products), or the products of up to 5,000 `ids`. Then call changeSets.get until `state` is ready, check `preview` and `counts`, and call changeSets.apply. Example: { "idempotencyKey": "<new UUID>", "mode": "each", "note": "Sale", "where": { "rules": [{ "field": "vendorName", "relation": "equals", "value": "Nordlicht" }] }, "change": { "price": { "percent": -10 } } }'
  )

/** Lists change sets, newest first. Members read all of the store; agents only their own. */
export const listChangeSets = Rpc.make("changeSets.list", {
  payload: {
    ...pageFields(ChangeSetId),
    unfinished: optional(
      Schema.Boolean.annotate({
        description: "true: only sets that are previewing, ready, scheduled or applying",
        message: "must be true or false"
      })
    )
  },
  success: Page(ChangeSet, ChangeSetId)
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Lists your change sets in pages, newest first, with their state and counts. Example: { "limit": 10 }'
  )

/** Reads one change set. Members; agents only their own. */
export const getChangeSet = Rpc.make("changeSets.get", {
  payload: { ...storeFields, ...setFields },
  success: ChangeSet,
  error: ChangeSetNotFound
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Reads one of your change sets: its state, progress, preview and counts. Call it again while the state is previewing or applying."
  )

/**
 * Streams a change set, at once and whenever its state, counts or progress change, until it is ready, applied, canceled or
 * failed. Members; agents only their own.
 */
export const followChangeSet = Rpc.make("changeSets.follow", {
  payload: { ...storeFields, ...setFields },
  success: ChangeSet,
  error: Schema.Union([ChangeSetNotFound, TooManyFollowers]),
  stream: true
}).annotate(AccessPolicy, MEMBERS_AND_AGENTS)

/** Lists the results of the operations of a change set, in their order. Members; agents only their own. */
export const listChangeSetResults = Rpc.make("changeSets.results", {
  payload: {
    ...pageFields(Schema.String.check(Schema.isPattern(/^\d{1,6}$/, { message: "must be a `nextCursor`" }))),
    ...setFields,
    outcome: optional(Outcome.annotate({ description: "Only results with this outcome" }))
  },
  success: Page(OperationResult, Schema.String),
  error: Schema.Union([ChangeSetNotFound, OperationScopeMissing])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Lists the result of each operation of one of your change sets. Use { "outcome": "refused" } to read why operations are refused.'
  )

/**
 * Applies a change set that is ready. An agent with `proposalsOnly` proposes the whole set. Members, and agents their own.
 */
export const applyChangeSet = Rpc.make("changeSets.apply", {
  payload: {
    ...keyedFields,
    ...reasonFields,
    ...setFields,
    ...applyOptions
  },
  success: Schema.Union([Proposed, ChangeSet]),
  error: Schema.Union([
    WriteError,
    InvalidToken,
    TooManyProposals,
    ChangeSetNotFound,
    ChangeSetStateMismatch,
    ChangeSetRefused,
    OperationScopeMissing
  ])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(StartsJob, true)
  .annotate(
    ToolDescription,
    "Applies one of your change sets whose state is ready. It runs in the background: call changeSets.get until the state is applied, then changeSets.results for refused operations. Each changed row counts in your budget."
  )

/** Cancels a change set that is not finished. Members, and agents their own. */
export const cancelChangeSet = Rpc.make("changeSets.cancel", {
  payload: { ...keyedFields, ...setFields },
  success: ChangeSet,
  error: Schema.Union([WriteError, ChangeSetNotFound, ChangeSetStateMismatch])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Cancels one of your change sets. One that is being applied stops after its current batch; changeSets.undo reverts what it has changed."
  )

/** Creates a change set that undoes another one as a whole, with its own preview. Members, and agents their own. */
export const undoChangeSet = Rpc.make("changeSets.undo", {
  payload: { ...keyedFields, ...setFields },
  success: ChangeSet,
  error: Schema.Union([
    WriteError,
    ChangeSetNotFound,
    ChangeSetStateMismatch,
    ChangeSetUndone,
    NothingToUndo,
    TooManyChangeSets,
    TooManyOperations
  ])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(StartsJob, true)
  .annotate(
    ToolDescription,
    "Prepares the undo of one of your applied change sets, as a new change set with its own preview. What others changed since is refused in the preview, unless it is applied with onConflict overwrite. Then call changeSets.apply with the new id."
  )

/** Many changes of a store at once. */
export class ChangeSetRpcs extends RpcGroup.make(
  createChangeSet,
  listChangeSets,
  getChangeSet,
  listChangeSetResults,
  applyChangeSet,
  cancelChangeSet,
  undoChangeSet
).middleware(Authentication) {}
