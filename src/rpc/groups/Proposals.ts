import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import {
  ProposalOutdated,
  Proposal,
  ProposalDecided,
  ProposalId,
  ProposalNotFound
} from "../../domain/access/Proposals.ts"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { withDescription, JsonValue, optional, trimmed } from "../../domain/catalog/Fields.ts"
import { boundedRecord } from "../../domain/json/Bounded.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { applyChangeSet } from "./ChangeSets.ts"
import { createCollection, deleteCollection, updateCollection } from "./Collections.ts"
import { fetchFile } from "./Files.ts"
import { storeFields, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"
import { changeInventory, createProduct, deleteProduct, updateProduct } from "./Products.ts"

const proposalFields = { id: ProposalId }

/** Lists proposals. Members read all of the store; agents only their own. */
export const listProposals = Rpc.make("proposals.list", {
  payload: {
    ...pageFields(ProposalId),
    pending: optional(
      Schema.Boolean.annotate({
        description: "true: only pending proposals, oldest first. false: only decided or expired ones, newest first"
      })
    )
  },
  success: Page(Proposal, ProposalId)
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Lists your proposals in pages, oldest first, with their status: pending, approved, rejected (with a `reason`), withdrawn or expired. Use it to see which of your writes members have decided. Example: { "pending": true } lists only those that wait for a decision.'
  )

/** Reads one proposal. Members; agents only their own. */
export const getProposal = Rpc.make("proposals.get", {
  payload: { ...storeFields, ...proposalFields },
  success: Proposal,
  error: ProposalNotFound
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Reads one of your proposals by id. Use it to see if a member has approved it (`result` lists the created or changed resources; `edited` is the payload as the member changed it, or null) or rejected it. Read the `reason` of a rejection before you propose the change again."
  )

/** Writes that agents can propose. */
export const PROPOSABLE = [
  createProduct,
  updateProduct,
  deleteProduct,
  createCollection,
  updateCollection,
  deleteCollection,
  changeInventory,
  applyChangeSet,
  fetchFile
] as const

/** Errors of proposed writes, which an approval can fail with. */
export const ProposedWriteError = Schema.Union(PROPOSABLE.map(({ errorSchema }) => errorSchema))

/**
 * Performs the proposed write as the agent, or the same write with values that the member edited. If it fails, the proposal
 * stays pending. Members only.
 */
export const approveProposal = Rpc.make("proposals.approve", {
  payload: {
    ...keyedFields,
    ...proposalFields,
    edited: optional(
      boundedRecord(JsonValue).annotate({
        description:
          "The `payload` of the proposal with other values of its product, collection, patch, change or options, to perform in place of the proposed one"
      })
    )
  },
  success: Proposal,
  error: Schema.Union([ProposedWriteError, ProposalNotFound, ProposalDecided, ProposalOutdated])
}).annotate(WorkWeight, "heavy")

/** Rejects a proposal with a reason that the agent can read. Members only. */
export const rejectProposal = Rpc.make("proposals.reject", {
  payload: {
    ...keyedFields,
    ...proposalFields,
    reason: withDescription(trimmed(1_000), "Reason that the agent can read")
  },
  success: Proposal,
  error: Schema.Union([WriteError, ProposalNotFound, ProposalDecided])
})

/** Withdraws a pending proposal. Members; agents only their own. */
export const withdrawProposal = Rpc.make("proposals.withdraw", {
  payload: { ...keyedFields, ...proposalFields },
  success: Proposal,
  error: Schema.Union([WriteError, ProposalNotFound, ProposalDecided])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Withdraws one of your pending proposals, for example if it is no longer correct. The catalog does not change. Fails with ProposalDecided if it is no longer pending. Example: { "idempotencyKey": "<new UUID>", "id": "<proposal id>" }'
  )

/** Writes of agents that wait for the approval of a member. */
export class ProposalRpcs extends RpcGroup.make(
  listProposals,
  getProposal,
  approveProposal,
  rejectProposal,
  withdrawProposal
).middleware(Authentication) {}
