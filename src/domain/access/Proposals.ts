import { Context, type Effect, Schema, Struct } from "effect"
import { AgentId, MerchantId } from "../Actor.ts"
import { described, JsonValue, Timestamp, Version } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import type { JsonObject } from "../Json.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import type { ApprovalNeeded, BudgetSpent } from "./Agents.ts"
import type { InvalidToken } from "./Tokens.ts"

/** Days in which a proposal can be approved, and in which it can be read, from when it was made. */
export const PENDING_DAYS = 7
export const READABLE_DAYS = 30

/** Proposals of an agent that wait, at most. */
export const MAX_PENDING = 100

export const ProposalId = Uuid.pipe(Schema.brand("ProposalId"))
export type ProposalId = typeof ProposalId.Type

const Resource = Schema.Literals(["product", "collection"])

const AtVersion = Schema.Struct({ resource: Resource, id: Uuid, version: Version })

/** What has become of a proposal. */
export const ProposalStatus = Schema.Literals(["pending", "approved", "rejected", "withdrawn", "expired"])

/** A write of an agent that waits until a member approves it, or waited. */
export const Proposal = Schema.Struct({
  id: ProposalId,
  agentId: described(AgentId, "The agent that proposes it"),
  procedure: Schema.String.annotate({ description: "What it would call", examples: ["products.update"] }),
  payload: Schema.Record(Schema.String, JsonValue).annotate({ description: "And with what" }),
  ground: Schema.Array(AtVersion).annotate({
    description: "What it would change, at the versions that it was based on; nothing where it makes something new"
  }),
  status: ProposalStatus.annotate({ description: `One that nobody decides in ${PENDING_DAYS} days expires` }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it was rejected" }),
  decidedBy: Schema.NullOr(MerchantId).annotate({ description: "The member who approved or rejected it" }),
  decidedAt: Schema.NullOr(Timestamp),
  result: Schema.Array(AtVersion).annotate({ description: "What was made or changed when it was approved" }),
  createdAt: Timestamp,
  expiresAt: Timestamp
}).annotate({ identifier: "Proposal" })

/** What an agent is answered whose write waits. */
export const Proposed = Schema.Struct({
  proposal: Proposal.mapFields(Struct.pick(["id", "status", "ground", "createdAt", "expiresAt"])).annotate({
    description: "The write is not done: it waits for a member of the store. `proposals.get` tells what became of it"
  })
})

export class ProposalNotFound extends Schema.TaggedError<ProposalNotFound>()("ProposalNotFound", { id: ProposalId }) {
  override get message() {
    return `There is no proposal ${this.id}, or it is more than ${READABLE_DAYS} days old; proposals.list names those there are`
  }
}

export class ProposalDecided extends Schema.TaggedError<ProposalDecided>()("ProposalDecided", {
  status: ProposalStatus
}) {
  override get message() {
    return `The proposal is ${this.status} and can no longer be decided`
  }
}

/** A proposal is of the resource as the agent saw it. */
export class GroundMoved extends Schema.TaggedError<GroundMoved>()("GroundMoved", {
  resource: Resource,
  id: Uuid,
  proposed: Schema.Int,
  /** Null where it is gone. */
  current: Schema.NullOr(Schema.Int)
}) {
  override get message() {
    const { current, id, proposed, resource } = this
    const now = current === null ? "is gone" : `is at version ${current}`
    return `The ${resource} ${id} ${now}, and the proposal is based on version ${proposed}; reject it, so that the agent may propose anew`
  }
}

export class TooManyProposals extends Schema.TaggedError<TooManyProposals>()("TooManyProposals", {}) {
  override get message() {
    return `${MAX_PENDING} proposals of the agent wait already; withdraw some, or ask a member of the store to decide them`
  }
}

/** A call of an agent that is to be kept. */
export interface NewProposal {
  readonly agentId: AgentId
  readonly procedure: string
  readonly payload: JsonText
}

/** What comes of a write that is to be proposed: it waits, or it would change nothing and is answered as it is. */
export type Kept<A> = { readonly proposed: JsonText } | { readonly unchanged: A }

/** What a proposal would do, in whose name. */
export interface Asked {
  readonly agentId: AgentId
  readonly procedure: string
  readonly payload: JsonObject
}

/** Which proposals a list is of. */
export interface ProposalsRequest extends PageRequest<ProposalId> {
  /** Of this agent alone. */
  readonly agentId: AgentId | null
  /** Those alone that can be decided, or those alone that cannot any more. */
  readonly isPending?: boolean | undefined
}

/** Writes of agents that wait for a member of their store (decisions, section 17). */
export class Proposals extends Context.Service<
  Proposals,
  {
    /**
     * Keeps a write in place of doing it. It is tried first and taken back, so that what would be refused is refused at
     * once, and what it would change is known. One that is kept is of the agent's budget.
     */
    readonly propose: <A, E>(
      store: StoreId,
      proposal: NewProposal,
      write: Write<A, E>
    ) => Write<Kept<A>, E | StoreNotFound | InvalidToken | ApprovalNeeded | BudgetSpent | TooManyProposals>
    /** Proposals in ascending order of id; those that cannot be decided any more in descending order. */
    readonly list: (store: StoreId, request: ProposalsRequest) => Effect.Effect<DocumentPage<ProposalId>>
    /** A proposal, of this agent if one is named. */
    readonly get: (store: StoreId, id: ProposalId, agent: AgentId | null) => Effect.Effect<JsonText, ProposalNotFound>
    /** What it would do. */
    readonly asked: (store: StoreId, id: ProposalId) => Effect.Effect<Asked, ProposalNotFound>
    /** Does what was proposed, which `write` describes, if it is pending and its ground has not moved. */
    readonly approve: <A, E>(
      store: StoreId,
      id: ProposalId,
      by: MerchantId,
      write: Write<A, E>
    ) => Write<JsonText, E | ProposalNotFound | ProposalDecided | GroundMoved>
    readonly reject: (
      store: StoreId,
      id: ProposalId,
      by: MerchantId,
      reason: string
    ) => Write<JsonText, ProposalNotFound | ProposalDecided>
    /** Takes a proposal back, of this agent if one is named. */
    readonly withdraw: (
      store: StoreId,
      id: ProposalId,
      agent: AgentId | null
    ) => Write<JsonText, ProposalNotFound | ProposalDecided>
    /** Deletes those that are too old to be read, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Proposals") {}
