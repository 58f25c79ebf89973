import { Context, type Effect, type Redacted, Schema, Struct } from "effect"
import { AgentId, MerchantId } from "../Actor.ts"
import { listOf } from "../Bounded.ts"
import { field, optional, Timestamp, trimmed } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import { ENTRY_DAYS } from "../journal/Journal.ts"
import type { PageRequest } from "../Page.ts"
import type { Counted } from "../RateLimit.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { storedList } from "../StoredList.ts"
import type { Write } from "../Write.ts"
import { Scope } from "./Scope.ts"
import type { InvalidToken } from "./Tokens.ts"

/** What an agent may do where nothing else is said, and at most. */
export const BUDGET = { usual: 1_000, most: 100_000 }
export const WINDOW = { usual: 100, most: 1_000 }

/** Days for which an agent is still listed that was revoked, or whose time is over: the journal names it no longer. */
export const LISTED_DAYS = ENTRY_DAYS + 30

/** Agents of a store that are not revoked, at most. */
export const MAX_AGENTS = 100

const whole = (least: number, most: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most })).annotate({
    message: `must be an integer from ${least} to ${most}`
  })

const AnyScope = Scope.annotate({
  message: `must be one of ${Scope.literals.join(", ")}`
})

const settings = {
  name: field(trimmed(100), "What people call it", "Restocker"),
  scopes: field(listOf(AnyScope, Scope.literals.length), "What it may read and write", ["read_products"]),
  budget: whole(0, BUDGET.most).annotate({
    description: `Writes that it may make on one day, which begins at midnight in UTC: ${BUDGET.usual} if not said`
  }),
  window: whole(1, WINDOW.most).annotate({
    description: `Requests that it may make in any 60 seconds: ${WINDOW.usual} if not said`
  }),
  proposalsOnly: Schema.Boolean.annotate({
    description: "Whether each of its writes waits until a member approves it: false if not said"
  })
}

/** What makes an agent. */
export const NewAgent = Schema.Struct({
  name: settings.name,
  scopes: settings.scopes,
  budget: optional(settings.budget),
  window: optional(settings.window),
  proposalsOnly: optional(settings.proposalsOnly)
})
export type NewAgent = typeof NewAgent.Type

/** What changes of an agent: only what is named. It holds from the next request on. */
export const AgentPatch = Schema.Struct(settings).mapFields(Struct.map(Schema.optionalKey))
export type AgentPatch = typeof AgentPatch.Type

/** A program that acts for a store's merchants, as they see it. */
export const Agent = Schema.Struct({
  id: AgentId,
  ...settings,
  scopes: storedList(Scope).annotate({ description: "What it may read and write" }),
  writesToday: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "How much of its budget is spent"
  }),
  createdBy: MerchantId.annotate({ description: "The merchant who made it" }),
  createdAt: Timestamp,
  endsAt: Schema.NullOr(Timestamp).annotate({
    description: "When its tokens end that it has by consent for a time"
  }),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "To the minute" }),
  revokedAt: Schema.NullOr(Timestamp).annotate({ description: "Since when its token is refused" })
}).annotate({ identifier: "Agent" })

/** Where a token came from: a member was shown it, or a client got it by their consent. The latter is good for tools alone. */
export type AgentTokens = "shown" | "any"

/** Who calls with an agent's token, and how many of the calls its window took. */
export interface AdmittedAgent extends Counted {
  readonly id: AgentId
  readonly storeId: StoreId
  readonly scopes: ReadonlyArray<Scope>
  readonly proposalsOnly: boolean
}

/** Billing, agents, installations, members and settings are for people. */
export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {}) {
  override get message() {
    return "Agents may not do this; ask a member of the store to do it"
  }
}

export class AgentScopeMissing extends Schema.TaggedError<AgentScopeMissing>()("AgentScopeMissing", { scope: Scope }) {
  override get message() {
    return `The agent does not have the scope ${this.scope}; ask a member of the store for an agent that has it`
  }
}

/** The agent has made as many writes as it may make on one day. */
export class BudgetSpent extends Schema.TaggedError<BudgetSpent>()("BudgetSpent", {
  budget: Schema.Int,
  /** When it may write again: RFC 3339 in UTC. */
  renewsAt: Schema.String
}) {
  override get message() {
    return `The agent may make ${this.budget} writes a day and has made them; its budget starts anew at ${this.renewsAt}, or ask a member of the store for a larger one`
  }
}

/** A write that was to be done at once, by an agent that may only propose. */
export class ApprovalNeeded extends Schema.TaggedError<ApprovalNeeded>()("ApprovalNeeded", {}) {
  override get message() {
    return "The agent may only propose, and this cannot be proposed; ask a member of the store to do it"
  }
}

export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", { id: AgentId }) {
  override get message() {
    return `The store has no agent ${this.id}, or it was revoked; agents.list names those it has`
  }
}

export class AgentLimitReached extends Schema.TaggedError<AgentLimitReached>()("AgentLimitReached", {}) {
  override get message() {
    return `A store has at most ${MAX_AGENTS} agents; revoke one that is no longer used`
  }
}

/** An agent that is not yet made, and the token that it will have: of that only the SHA-256 is kept. */
export interface AgentToMake {
  readonly token: Redacted.Redacted
  /** Answers the agent, without its token. */
  readonly write: Write<JsonText, StoreNotFound | AgentLimitReached>
}

/** The agents of stores, and the tokens that they carry (decisions, section 15). */
export class Agents extends Context.Service<
  Agents,
  {
    /** A new agent of the store, made by a member, with a token of 256 random bits. */
    readonly create: (store: StoreId, by: MerchantId, agent: NewAgent) => AgentToMake
    /** Agents in ascending order of id, those too that were revoked in the last {@link LISTED_DAYS}. */
    readonly list: (store: StoreId, page: PageRequest<AgentId>) => Effect.Effect<DocumentPage<AgentId>>
    /** Changes an agent that is not revoked. */
    readonly update: (store: StoreId, id: AgentId, patch: AgentPatch) => Write<JsonText, AgentNotFound>
    /** From its commit on, calls with the agent's token are refused, and so are its writes that are under way. */
    readonly revoke: (store: StoreId, id: AgentId) => Write<JsonText, AgentNotFound>
    /**
     * The write, as one of the agent: what changes something is one of its day's budget, and is refused beyond, exactly
     * however many come at once. What is refused or taken back does not count.
     */
    readonly budgeted: <A, E>(
      store: StoreId,
      agent: AgentId,
      write: Write<A, E>
    ) => Write<A, E | InvalidToken | ApprovalNeeded | BudgetSpent>
    /**
     * Who a token belongs to, and how many of so many calls its window takes: as many as were left in it, by the
     * database's clock and for all processes together. Calls that it does not take are not counted. A token of another
     * kind than is taken is as good as none.
     */
    readonly admit: (
      token: Redacted.Redacted,
      calls: number,
      taken: AgentTokens
    ) => Effect.Effect<AdmittedAgent, InvalidToken | StoreNotFound>
    /**
     * The places of those that are revoked or over, have other scopes now, or whose store was deleted, among agents that hold
     * something open, as a socket. It is no call of theirs.
     */
    readonly ended: (
      agents: ReadonlyArray<Pick<AdmittedAgent, "id" | "storeId" | "scopes">>
    ) => Effect.Effect<ReadonlyArray<number>>
    /** Deletes agents that are listed no longer, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Agents") {}
