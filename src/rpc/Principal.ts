import { Context, Data } from "effect"
import { ALL_GRANTS, type Grants } from "../domain/access/AccessRule.ts"
import type { Role } from "../domain/access/Merchants.ts"
import type { Scope } from "../domain/access/Scope.ts"
import type { SessionId } from "../domain/access/Sessions.ts"
import type { AgentId, MerchantId } from "../domain/access/Ids.ts"
import { Actor } from "../domain/Actor.ts"
import type { StoreId } from "../domain/Store.ts"
import type { Surface } from "../domain/Write.ts"

/**
 * The authenticated caller: a merchant with a session and roles in the stores of the request, or an agent with a token for
 * one store.
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
    /** True if writes of the agent become proposals. */
    readonly proposalsOnly: boolean
  }
}>

export const Principal = Data.taggedEnum<Principal>()

/** A principal that is an agent. */
export type Agent = Extract<Principal, { readonly _tag: "Agent" }>

/** Converts a principal to the actor of its writes. */
export const actorOf: (principal: Principal) => Actor = Principal.$match({
  Merchant: ({ id }) => Actor.Merchant({ id }),
  Agent: ({ id }) => Actor.Agent({ id })
})

/** Grants of a principal. Members see everything; agents have no capabilities. */
export const grantsOf: (principal: Principal) => Grants = Principal.$match({
  Merchant: () => ALL_GRANTS,
  Agent: ({ scopes }) => ({ scopes, capabilities: [] })
})

/** The principal of the current call. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("rpc/CurrentPrincipal") {}

/** Surface and request of a call, as the journal stores them. */
export interface Origin {
  readonly surface: Surface
  /** Id of the request in the log. */
  readonly requestId: string | undefined
}

/** The origin of the current call. */
export const CallOrigin = Context.Reference<Origin>("rpc/CallOrigin", {
  defaultValue: (): Origin => ({ surface: "rpc", requestId: undefined })
})
