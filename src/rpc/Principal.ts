import { Context, Data } from "effect"
import type { Role } from "../domain/access/Merchants.ts"
import type { Scope } from "../domain/access/Scope.ts"
import type { SessionId } from "../domain/access/Sessions.ts"
import { Actor, type AgentId, type MerchantId } from "../domain/Actor.ts"
import type { StoreId } from "../domain/Store.ts"
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
