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
import { withDescription, optional, trimmed } from "../../domain/catalog/Fields.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { createCollection, deleteCollection, updateCollection } from "./Collections.ts"
import { storeFields, keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"
import { changeInventory, createProduct, deleteProduct, updateProduct } from "./Products.ts"

const proposalFields = { id: ProposalId }

/** Those of an agent are all that it sees. */
export const listProposals = Rpc.make("proposals.list", {
  payload: {
    ...pageFields(ProposalId),
    pending: optional(
      Schema.Boolean.annotate({
        description:
          "true: those alone that wait for a decision; false: those alone that do not any more, the newest first"
      })
    )
  },
  success: Page(Proposal, ProposalId)
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Lists what you proposed, a page at a time, the oldest first, with what became of it: pending, approved, rejected (`reason` says why), withdrawn or expired. Use `pending: true` to see what still waits."
  )

/** With what became of it, and why. */
export const getProposal = Rpc.make("proposals.get", {
  payload: { ...storeFields, ...proposalFields },
  success: Proposal,
  error: ProposalNotFound
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "One of your proposals by its id, to see whether a member of the store has approved it (`result` says what was made) or rejected it (`reason` says why: heed it before you propose anew)."
  )

/** What may be proposed. */
export const PROPOSABLE = [
  createProduct,
  updateProduct,
  deleteProduct,
  createCollection,
  updateCollection,
  deleteCollection,
  changeInventory
] as const

/** Why what was proposed may be refused when it is done. */
export const ProposedWriteError = Schema.Union(PROPOSABLE.map(({ errorSchema }) => errorSchema))

/** Does what was proposed, now, as the agent with the approval of the member. Refused, it waits on. */
export const approveProposal = Rpc.make("proposals.approve", {
  payload: { ...keyedFields, ...proposalFields },
  success: Proposal,
  error: Schema.Union([ProposedWriteError, ProposalNotFound, ProposalDecided, ProposalOutdated])
}).annotate(WorkWeight, "heavy")

/** Nothing is done, and the agent reads why. */
export const rejectProposal = Rpc.make("proposals.reject", {
  payload: { ...keyedFields, ...proposalFields, reason: withDescription(trimmed(1_000), "Why, for the agent to read") },
  success: Proposal,
  error: Schema.Union([WriteError, ProposalNotFound, ProposalDecided])
})

/** Takes a proposal back, an agent its own. */
export const withdrawProposal = Rpc.make("proposals.withdraw", {
  payload: { ...keyedFields, ...proposalFields },
  success: Proposal,
  error: Schema.Union([WriteError, ProposalNotFound, ProposalDecided])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Takes back a proposal of yours that still waits, as when it is no longer right. Nothing in the catalog changes."
  )

/** Writes of agents that wait until a member of the store approves them. */
export class ProposalRpcs extends RpcGroup.make(
  listProposals,
  getProposal,
  approveProposal,
  rejectProposal,
  withdrawProposal
).middleware(Authentication) {}
