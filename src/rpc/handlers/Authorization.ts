import { Effect, Option } from "effect"
import { AgentRefused, AgentScopeMissing } from "../../domain/access/Agents.ts"
import { OwnersOnly } from "../../domain/access/Merchants.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { storeIn } from "../groups/CommonSchemas.ts"
import { type Callers } from "../Annotations.ts"
import { CurrentPrincipal, Principal } from "../Principal.ts"

/** The errors of calls that a principal may not make. */
export type NotAuthorized = StoreNotFound | OwnersOnly | AgentRefused | AgentScopeMissing

/** Refuses a principal who may not call what `callers` may in a store. To strangers, a store does not exist. */
export const authorize = (principal: Principal, store: StoreId, callers: Callers): Effect.Effect<void, NotAuthorized> =>
  Principal.$match(principal, {
    Merchant: ({ roles }): Effect.Effect<void, NotAuthorized> => {
      const role = roles[store]
      if (role === undefined) return new StoreNotFound()
      return callers.members === "owners" && role !== "owner" ? new OwnersOnly() : Effect.void
    },
    Agent: ({ scopes, storeId }): Effect.Effect<void, NotAuthorized> => {
      if (storeId !== store) return new StoreNotFound()
      if (callers.agents === "none") return new AgentRefused()
      if (callers.agents === "all" || scopes.includes(callers.agents)) return Effect.void
      return new AgentScopeMissing({ scope: callers.agents })
    }
  })

/** Checks the current principal against the store that a payload names. Payloads without a store fail in their decoder. */
export const authorizeIn = (json: JsonObject, callers: Callers): Effect.Effect<void, NotAuthorized, CurrentPrincipal> =>
  Option.match(storeIn(json), {
    onNone: () => Effect.void,
    onSome: (store) => Effect.flatMap(CurrentPrincipal, (principal) => authorize(principal, store, callers))
  })

export type Merchant = Extract<Principal, { readonly _tag: "Merchant" }>

/** The merchant who calls. */
export const merchantIn = (principal: Principal): Effect.Effect<Merchant, AgentRefused> =>
  principal._tag === "Merchant" ? Effect.succeed(principal) : new AgentRefused()

/** The merchant who calls a procedure outside of a store. */
export const currentMerchant = Effect.flatMap(CurrentPrincipal, merchantIn)
