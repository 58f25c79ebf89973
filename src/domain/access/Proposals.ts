import { Context, type Effect, Schema, Struct } from "effect"
import { AgentId, MerchantId } from "./Ids.ts"
import { withDescription, JsonValue, optional, Timestamp, Version } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { JsonObject } from "../json/Json.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { Members } from "../journal/Conflicts.ts"
import { CatalogKind } from "../journal/Kinds.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import type { ApprovalNeeded, BudgetSpent } from "./Agents.ts"
import type { InvalidToken } from "./Tokens.ts"

/** Days after creation in which a proposal can be approved, and in which it can be read. */
export const PENDING_DAYS = 7
export const READABLE_DAYS = 30

/** Maximum number of pending proposals of an agent. */
export const MAX_PENDING = 100

export const ProposalId = Uuid.pipe(Schema.brand("ProposalId"))
export type ProposalId = typeof ProposalId.Type

const AtVersion = Schema.Struct({ resource: CatalogKind, id: Uuid, version: Version })

/** Status of a proposal. */
export const ProposalStatus = Schema.Literals(["pending", "approved", "rejected", "withdrawn", "expired"])

/** Write of an agent that requires the approval of a member. */
export const Proposal = Schema.Struct({
  id: ProposalId,
  agentId: withDescription(AgentId, "Agent that made the proposal"),
  procedure: Schema.String.annotate({ description: "Procedure that an approval calls", examples: ["products.update"] }),
  payload: Schema.Record(Schema.String, JsonValue).annotate({ description: "Payload of the call" }),
  edited: Schema.NullOr(Schema.Record(Schema.String, JsonValue)).annotate({
    description: "Payload that the member approved in place of the proposed one; null if the member changed nothing"
  }),
  basedOn: Schema.Array(AtVersion).annotate({
    description:
      "Resources that the write would change, with the versions that it is based on; empty for a new resource"
  }),
  status: ProposalStatus.annotate({ description: `Status. A pending proposal expires after ${PENDING_DAYS} days` }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Reason for the rejection" }),
  decidedBy: Schema.NullOr(MerchantId).annotate({ description: "Member who approved or rejected the proposal" }),
  decidedAt: Schema.NullOr(Timestamp),
  result: Schema.Array(AtVersion).annotate({ description: "Resources that the approval created or changed" }),
  response: optional(
    Schema.NullOr(Schema.Record(Schema.String, JsonValue)).annotate({
      description: "Response of an approved call without `result`, such as the file of `files.fetch`; otherwise null"
    })
  ),
  createdAt: Timestamp,
  expiresAt: Timestamp
}).annotate({ identifier: "Proposal" })

/** Response to an agent whose write requires approval. */
export const Proposed = Schema.Struct({
  proposal: Proposal.mapFields(Struct.pick(["id", "status", "basedOn", "createdAt", "expiresAt"])).annotate({
    description:
      "The write was not performed: it requires the approval of a store member. `proposals.get` returns its status"
  })
})

export class ProposalNotFound extends Schema.TaggedError<ProposalNotFound>()("ProposalNotFound", { id: ProposalId }) {
  override get message() {
    return `Proposal ${this.id} was not found or is more than ${READABLE_DAYS} days old; proposals.list returns the proposals of the store`
  }
}

export class ProposalDecided extends Schema.TaggedError<ProposalDecided>()("ProposalDecided", {
  status: ProposalStatus
}) {
  override get message() {
    return `The proposal is ${this.status} and can no longer be decided`
  }
}

/** Others changed what a proposal writes or computes from, after the agent made it. */
export class ProposalOutdated extends Schema.TaggedError<ProposalOutdated>()("ProposalOutdated", {
  resource: CatalogKind,
  id: Uuid,
  proposed: Schema.Int,
  /** Null if the resource was deleted. */
  current: Schema.NullOr(Schema.Int),
  /** Members with which the proposal conflicts; null for the whole resource. */
  members: Schema.NullOr(Schema.Array(Schema.String))
}) {
  override get message() {
    const { current, id, members, proposed, resource } = this
    const changed = members === null ? "" : `, with another ${members.join(", ")}`
    const now = current === null ? "was deleted" : `is at version ${current}${changed}`
    return `The ${resource} ${id} ${now}, and the proposal is based on version ${proposed}; reject it, so that the agent can make a new proposal`
  }
}

export class TooManyProposals extends Schema.TaggedError<TooManyProposals>()("TooManyProposals", {}) {
  override get message() {
    return `The agent has ${MAX_PENDING} pending proposals, the maximum; withdraw some, or ask a member of the store to decide them`
  }
}

/** Call of an agent to store as a proposal. */
export interface NewProposal {
  readonly agentId: AgentId
  readonly procedure: string
  readonly payload: JsonText
  /** True if the write changes resources after its commit, so that it is proposed although it changes none at once. */
  readonly isDeferred: boolean
}

/** Result of proposing a write: the stored proposal, or the result of a write that would change nothing. */
export type ProposalResult<A> = { readonly proposed: JsonText } | { readonly unchanged: A }

/** Call that a proposal would make, and its agent. */
export interface ProposedCall {
  readonly agentId: AgentId
  readonly status: typeof ProposalStatus.Type
  readonly procedure: string
  readonly payload: JsonObject
}

/** Filter and page of a list of proposals. */
export interface ProposalsRequest extends PageRequest<ProposalId> {
  /** Only proposals of this agent. */
  readonly agentId: AgentId | null
  /** True: only proposals that can be decided. False: only the others. */
  readonly isPending?: boolean | undefined
}

/** Proposed writes of agents (docs/spec/proposals.md). */
export class Proposals extends Context.Service<
  Proposals,
  {
    /**
     * Stores a write as a proposal instead of performing it. The write runs first and is rolled back, so that errors
     * are reported immediately and the affected resources are known. A stored proposal counts against the budget of the
     * agent.
     */
    readonly propose: <A, E>(
      store: StoreId,
      proposal: NewProposal,
      write: Write<A, E>
    ) => Write<ProposalResult<A>, E | StoreNotFound | InvalidToken | ApprovalNeeded | BudgetSpent | TooManyProposals>
    /** Lists proposals in ascending order of id. A list of decided proposals is in descending order. */
    readonly list: (store: StoreId, request: ProposalsRequest) => Effect.Effect<DocumentPage<ProposalId>>
    /** Returns a proposal. If `agent` is given, only a proposal of that agent. */
    readonly get: (store: StoreId, id: ProposalId, agent: AgentId | null) => Effect.Effect<JsonText, ProposalNotFound>
    /** Returns the call that a proposal would make. */
    readonly proposedCall: (store: StoreId, id: ProposalId) => Effect.Effect<ProposedCall, ProposalNotFound>
    /**
     * Performs the proposed `write` if the proposal is pending and nobody has changed what it touches. `touchedBy` returns
     * that from the state of the resource. `edited`: the payload of the write, if the member changed it. `write` returns
     * the response to store with the proposal, or null if its changes are the result.
     */
    readonly approve: <E>(
      store: StoreId,
      id: ProposalId,
      by: MerchantId,
      write: Write<JsonText | null, E>,
      touchedBy: (state: JsonObject) => Members,
      edited: JsonText | null
    ) => Write<JsonText, E | ProposalNotFound | ProposalDecided | ProposalOutdated>
    readonly reject: (
      store: StoreId,
      id: ProposalId,
      by: MerchantId,
      reason: string
    ) => Write<JsonText, ProposalNotFound | ProposalDecided>
    /** Withdraws a proposal. If `agent` is given, only a proposal of that agent. */
    readonly withdraw: (
      store: StoreId,
      id: ProposalId,
      agent: AgentId | null
    ) => Write<JsonText, ProposalNotFound | ProposalDecided>
    /** Deletes one batch of proposals older than {@link READABLE_DAYS} days and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Proposals") {}
