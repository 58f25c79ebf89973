import { Effect, Option } from "effect"
import { AgentRefused, AgentScopeMissing } from "../../domain/access/Agents.ts"
import { OwnersOnly } from "../../domain/access/Merchants.ts"
import type { ScopeGroup } from "../../domain/access/Visibility.ts"
import { findMissingScopes } from "../../domain/changeSets/ChangeSets.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { findStoreId } from "../groups/CommonSchemas.ts"
import { type AccessPolicy, findMissingScope } from "../Annotations.ts"
import { CurrentPrincipal, grantsOf, Principal } from "../Principal.ts"

/** The errors of calls that a principal may not make. */
export type NotAuthorized = StoreNotFound | OwnersOnly | AgentRefused | AgentScopeMissing

/** Checks an access policy. Fails with `StoreNotFound` for principals outside the store, so that they cannot probe ids. */
export const authorize = (
  principal: Principal,
  store: StoreId,
  policy: AccessPolicy
): Effect.Effect<void, NotAuthorized> =>
  Principal.$match(principal, {
    Merchant: ({ roles }): Effect.Effect<void, NotAuthorized> => {
      const role = roles[store]
      if (role === undefined) return new StoreNotFound()
      return policy.members === "owners" && role !== "owner" ? new OwnersOnly() : Effect.void
    },
    Agent: ({ scopes, storeId }): Effect.Effect<void, NotAuthorized> => {
      if (storeId !== store) return new StoreNotFound()
      if (policy.agents === "none") return new AgentRefused()
      const missing = findMissingScope(policy, scopes)
      return missing === undefined ? Effect.void : new AgentScopeMissing({ scope: missing })
    }
  })

/** Fails if a principal has none of the scopes of a group. */
export const requireScopes = (
  principal: Principal,
  groups: ReadonlyArray<ScopeGroup>
): Effect.Effect<void, AgentScopeMissing> => {
  const missing = findMissingScopes(groups, grantsOf(principal).scopes)
  return missing === undefined ? Effect.void : new AgentScopeMissing({ scope: missing[0] })
}

/** Checks an access policy in the store of a payload. A payload without a valid store id fails later, in the decoder. */
export const authorizePayload = (
  json: JsonObject,
  policy: AccessPolicy
): Effect.Effect<void, NotAuthorized, CurrentPrincipal> =>
  Option.match(findStoreId(json), {
    onNone: () => Effect.void,
    onSome: (store) => Effect.flatMap(CurrentPrincipal, (principal) => authorize(principal, store, policy))
  })

export type Merchant = Extract<Principal, { readonly _tag: "Merchant" }>

/** Returns the calling merchant. Agents fail with `AgentRefused`. */
export const merchantIn = (principal: Principal): Effect.Effect<Merchant, AgentRefused> =>
  principal._tag === "Merchant" ? Effect.succeed(principal) : new AgentRefused()

/** The calling merchant of a procedure outside a store. */
export const currentMerchant = Effect.flatMap(CurrentPrincipal, merchantIn)
