import { Context, Data, Schema } from "effect"
import { RpcMiddleware } from "effect/rpc"
import { AgentRefused, AgentScopeMissing } from "../domain/access/Agents.ts"
import { OwnersOnly, type Role } from "../domain/access/Merchants.ts"
import type { Scope } from "../domain/access/Scope.ts"
import { NotSignedIn, type SessionId } from "../domain/access/Sessions.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { Actor, type AgentId, type MerchantId } from "../domain/Actor.ts"
import { BadRequest } from "../domain/BadRequest.ts"
import { StoreBusy } from "../domain/Bulkhead.ts"
import { RateLimitExceeded } from "../domain/RateLimit.ts"
import { type StoreId, StoreNotFound } from "../domain/Store.ts"
import type { Surface } from "../domain/Write.ts"

/**
 * Who calls: a merchant, by a session, with what they may do in the stores that their calls name, or an agent, by its
 * token, in the store that it was made for.
 */
export type Principal = Data.TaggedEnum<{
  Merchant: {
    readonly id: MerchantId
    readonly sessionId: SessionId
    readonly roles: Readonly<Record<StoreId, Role>>
  }
  Agent: {
    readonly id: AgentId
    readonly storeId: StoreId
    readonly scopes: ReadonlyArray<Scope>
    /** Whether its writes wait until a member approves them. */
    readonly proposalsOnly: boolean
  }
}>

export const Principal = Data.taggedEnum<Principal>()

/** An agent that calls. */
export type Agent = Extract<Principal, { readonly _tag: "Agent" }>

/** As whom a principal writes. */
export const actorOf: (principal: Principal) => Actor = Principal.$match({
  Merchant: ({ id }) => Actor.Merchant({ id }),
  Agent: ({ id }) => Actor.Agent({ id })
})

/** Which of a store's members may call a procedure, and which of its agents: all, none, or those that have a scope. */
export interface Callers {
  readonly members: "all" | "owners"
  readonly agents: "all" | "none" | Scope
}

/** Its members may. */
export const MEMBERS: Callers = { members: "all", agents: "none" }

/** Who may call a procedure of a store, where that is not its members alone: an annotation of its definition. */
export const CallersOf = Context.Reference<Callers>("rpc/CallersOf", {
  defaultValue: () => MEMBERS
})

/** Its owners may. */
export const OWNERS: Callers = { members: "owners", agents: "none" }

/** Its members and all of its agents may. */
export const EVERYBODY: Callers = { members: "all", agents: "all" }

/** Its members may, and its agents that have the scope. */
export const agentsWith = (scope: Scope): Callers => ({ members: "all", agents: scope })

/** Who the call that is being answered comes from. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("rpc/CurrentPrincipal") {}

/** Where a call comes from, as the journal tells it. */
export interface Origin {
  readonly surface: Surface
  /** What names the request that it came with in the log of the service. */
  readonly requestId: string | undefined
}

/** Where the call that is being answered comes from. */
export const CallOrigin = Context.Reference<Origin>("rpc/CallOrigin", {
  defaultValue: (): Origin => ({ surface: "rpc", requestId: undefined })
})

/** What a client is told of `Unavailable`, whose reason stays in the service. */
export class ServiceUnavailable extends Schema.TaggedError<ServiceUnavailable>()("ServiceUnavailable", {}) {
  override get message() {
    return "The service is out of reach of its database, or overloaded; repeat the call, a write with the same idempotencyKey"
  }
}

/** What a client is told of every defect. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {
  /** What names the request in the service's log. */
  requestId: Schema.String
}) {
  override get message() {
    return "Internal error"
  }
}

/** Why any call may be refused. A store that the principal is no member of is refused as one that there is not. */
export const CallRefused = Schema.Union([
  NotSignedIn,
  InvalidToken,
  RateLimitExceeded,
  BadRequest,
  StoreNotFound,
  OwnersOnly,
  AgentRefused,
  AgentScopeMissing,
  StoreBusy,
  ServiceUnavailable,
  InternalError
])
export type CallRefused = typeof CallRefused.Type

/** What stands before every procedure: who calls is known to it, or the call is refused. */
export class Identified extends RpcMiddleware.Service<Identified, { provides: CurrentPrincipal }>()("rpc/Identified", {
  error: CallRefused
}) {}
