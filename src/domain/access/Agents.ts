import { Context, type Effect, type Redacted, Schema, Struct } from "effect"
import { AgentId, MerchantId } from "./Ids.ts"
import { boundedArray } from "../json/Bounded.ts"
import { field, optional, Timestamp, trimmed } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import { MAX_JOURNAL_DAYS } from "../OperatorLimits.ts"
import type { PageRequest } from "../Page.ts"
import type { WindowResult } from "../RateLimit.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { formatInteger } from "../Text.ts"
import { storedList } from "../json/StoredList.ts"
import type { Write } from "../Write.ts"
import { Scope } from "./Scope.ts"
import type { InvalidToken } from "./Tokens.ts"

/** Default and maximum writes of an agent per day, and requests per 60 seconds. */
export const BUDGET = { usual: 1_000, most: 100_000 }
export const WINDOW = { usual: 100, most: 1_000 }

/** Days for which a revoked or expired agent is listed. The last journal entries of the agent expire before. */
export const LISTED_DAYS = MAX_JOURNAL_DAYS + 30

/** Maximum number of agents of a store, excluding revoked ones. */
export const MAX_AGENTS = 100

const whole = (least: number, most: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most })).annotate({
    message: `must be an integer from ${least} to ${most}`
  })

const AnyScope = Scope.annotate({
  message: `must be one of ${Scope.literals.join(", ")}`
})

const settings = {
  name: field(trimmed(100), "Name of the agent", "Restocker"),
  scopes: field(boundedArray(AnyScope, Scope.literals.length), "Scopes of the agent", ["read_products"]),
  budget: whole(0, BUDGET.most).annotate({
    description: `Maximum number of writes per day, reset at midnight UTC. Default: ${BUDGET.usual}`
  }),
  window: whole(1, WINDOW.most).annotate({
    description: `Maximum number of requests in any 60 seconds. Default: ${WINDOW.usual}`
  }),
  proposalsOnly: Schema.Boolean.annotate({
    description: "If true, each write requires the approval of a member. Default: false"
  })
}

/** Settings of a new agent. */
export const NewAgent = Schema.Struct({
  name: settings.name,
  scopes: settings.scopes,
  budget: optional(settings.budget),
  window: optional(settings.window),
  proposalsOnly: optional(settings.proposalsOnly)
})
export type NewAgent = typeof NewAgent.Type

/** Changes to an agent. Absent fields keep their value. Changes apply from the next request. */
export const AgentPatch = Schema.Struct(settings).mapFields(Struct.map(Schema.optionalKey))
export type AgentPatch = typeof AgentPatch.Type

/** Program that acts for the merchants of a store, as members see it. */
export const Agent = Schema.Struct({
  id: AgentId,
  ...settings,
  scopes: storedList(Scope).annotate({ description: "Scopes of the agent" }),
  writesToday: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Writes counted against the budget today (UTC)"
  }),
  createdBy: MerchantId.annotate({ description: "Merchant who created the agent" }),
  createdAt: Timestamp,
  endsAt: Schema.NullOr(Timestamp).annotate({
    description: "Time when the agent expires, if it was created by consent for a limited time; otherwise null"
  }),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "Time of the last request, to the minute" }),
  revokedAt: Schema.NullOr(Timestamp).annotate({ description: "Time of revocation; null if the agent is not revoked" })
}).annotate({ identifier: "Agent" })

/**
 * Kinds of agent tokens. `shown`: only tokens that were shown to a member. `any`: also tokens that a client received by
 * consent, which are valid for tools only.
 */
export type AgentTokens = "shown" | "any"

/** Agent authenticated by its token, and the number of its calls that the rate limit admitted. */
export interface AdmittedAgent extends WindowResult {
  readonly id: AgentId
  readonly storeId: StoreId
  readonly scopes: ReadonlyArray<Scope>
  readonly proposalsOnly: boolean
}

/** Billing, agents, installations, members and settings are reserved for people. */
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

/** The write budget of the agent's day has no room for a write. */
export class BudgetSpent extends Schema.TaggedError<BudgetSpent>()("BudgetSpent", {
  budget: Schema.Int,
  /** Writes that are left, and writes for which the call counts. Absent in errors of earlier releases. */
  left: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int),
  /** Time when the budget is reset: RFC 3339 in UTC. */
  renewsAt: Schema.String
}) {
  override get message() {
    if (this.left !== undefined && this.left > 0) {
      return `The call counts as ${formatInteger(this.needed ?? 1)} writes, and ${formatInteger(this.left)} of the agent's budget of ${formatInteger(this.budget)} writes per day are left; make fewer changes, wait until ${this.renewsAt}, or ask a member of the store for a larger budget`
    }
    return `The agent has used its budget of ${this.budget} writes per day; wait until ${this.renewsAt}, or ask a member of the store for a larger budget`
  }
}

/** An agent that may only propose requested a write that cannot be proposed. */
export class ApprovalNeeded extends Schema.TaggedError<ApprovalNeeded>()("ApprovalNeeded", {}) {
  override get message() {
    return "The agent may only propose writes, and this write cannot be proposed; ask a member of the store to do it"
  }
}

export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", { id: AgentId }) {
  override get message() {
    return `Agent ${this.id} was not found or is revoked; agents.list returns the agents of the store`
  }
}

export class AgentLimitReached extends Schema.TaggedError<AgentLimitReached>()("AgentLimitReached", {}) {
  override get message() {
    return `A store has at most ${MAX_AGENTS} agents; revoke one that is no longer used`
  }
}

/** Agent to create and its token. Only the SHA-256 of the token is stored. */
export interface AgentCreation {
  readonly token: Redacted.Redacted
  /** Returns the agent without its token. */
  readonly write: Write<JsonText, StoreNotFound | AgentLimitReached>
}

/** Agents of stores and their tokens (docs/spec/agents.md). */
export class Agents extends Context.Service<
  Agents,
  {
    /** Prepares an agent of the store, created by a member, with a token of 256 random bits. */
    readonly create: (store: StoreId, by: MerchantId, agent: NewAgent) => AgentCreation
    /**
     * Lists agents in ascending order of id, including those revoked or expired within the last {@link LISTED_DAYS}
     * days.
     */
    readonly list: (store: StoreId, page: PageRequest<AgentId>) => Effect.Effect<DocumentPage<AgentId>>
    /** Changes an agent that is not revoked. */
    readonly update: (store: StoreId, id: AgentId, patch: AgentPatch) => Write<JsonText, AgentNotFound>
    /** Revokes the agent. After the commit, calls with its token are rejected, including writes in progress. */
    readonly revoke: (store: StoreId, id: AgentId) => Write<JsonText, AgentNotFound>
    /**
     * Runs the write for the agent. A write that changes something counts against the budget of the day, exactly even
     * under concurrency. Failed and rolled-back writes do not count.
     */
    readonly budgeted: <A, E>(
      store: StoreId,
      agent: AgentId,
      write: Write<A, E>
    ) => Write<A, E | InvalidToken | ApprovalNeeded | BudgetSpent>
    /**
     * Authenticates a token and counts up to `calls` calls. The rate limit admits as many as are left in the window, by
     * the clock of the database and across all processes; other calls are not counted. Fails with `InvalidToken` for a
     * token of a kind that `accepted` excludes.
     */
    readonly admit: (
      token: Redacted.Redacted,
      calls: number,
      accepted: AgentTokens
    ) => Effect.Effect<AdmittedAgent, InvalidToken | StoreNotFound>
    /**
     * Returns the indexes of agents that are revoked or expired, whose scopes changed, or whose store was deleted.
     * Checks agents with open connections, such as sockets, and does not count as a call.
     */
    readonly ended: (
      agents: ReadonlyArray<Pick<AdmittedAgent, "id" | "storeId" | "scopes">>
    ) => Effect.Effect<ReadonlyArray<number>>
    /** Deletes one batch of agents that are no longer listed and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Agents") {}
