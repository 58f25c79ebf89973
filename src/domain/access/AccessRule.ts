import { Schema } from "effect"
import { Capability } from "./Capability.ts"
import { Scope } from "./Scope.ts"

/** A valid token is enough. */
export const AnyToken = Schema.TaggedStruct("AnyToken", {})

/** One of the scopes is enough. */
export const AnyScope = Schema.TaggedStruct("AnyScope", { scopes: Schema.NonEmptyArray(Scope) })

/** Only the capability is enough. */
export const NeedsCapability = Schema.TaggedStruct("NeedsCapability", { capability: Capability })

/** What an endpoint asks of the installation that a valid token names. */
export const AccessRule = Schema.Union([AnyToken, AnyScope, NeedsCapability])
export type AccessRule = typeof AccessRule.Type

/** What an app declares, or an installation was granted of that. */
export interface Grants {
  readonly scopes: ReadonlyArray<Scope>
  readonly capabilities: ReadonlyArray<Capability>
}

/** All that can be declared and granted. */
export const EVERYTHING: Grants = { scopes: Scope.literals, capabilities: Capability.literals }

export const NOTHING: Grants = { scopes: [], capabilities: [] }

export class ScopeNotGranted extends Schema.TaggedError<ScopeNotGranted>()("ScopeNotGranted", {
  scopes: Schema.NonEmptyArray(Scope)
}) {
  override get message() {
    return `The installation was not granted the scope ${this.scopes.join(" or ")}`
  }
}

export class CapabilityNotGranted extends Schema.TaggedError<CapabilityNotGranted>()("CapabilityNotGranted", {
  capability: Capability
}) {
  override get message() {
    return `The installation was not granted the capability ${this.capability}`
  }
}

/** Why the rule refuses an installation with these grants, if it does. */
export const refusalOf = (grants: Grants, rule: AccessRule): ScopeNotGranted | CapabilityNotGranted | undefined => {
  switch (rule._tag) {
    case "AnyToken":
      return undefined
    case "AnyScope": {
      const { scopes } = rule
      return scopes.some((scope) => grants.scopes.includes(scope)) ? undefined : new ScopeNotGranted({ scopes })
    }
    case "NeedsCapability": {
      const { capability } = rule
      return grants.capabilities.includes(capability) ? undefined : new CapabilityNotGranted({ capability })
    }
  }
}
