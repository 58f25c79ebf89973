import { Schema } from "effect"
import { Capability } from "./Capability.ts"
import { Scope } from "./Scope.ts"

/** Any valid token is sufficient. */
export const AnyToken = Schema.TaggedStruct("AnyToken", {})

/** Any one of the scopes is sufficient. */
export const AnyScope = Schema.TaggedStruct("AnyScope", { scopes: Schema.NonEmptyArray(Scope) })

/** The capability is required. */
export const NeedsCapability = Schema.TaggedStruct("NeedsCapability", { capability: Capability })

/** Permission that an endpoint requires of the calling installation. */
export const AccessRule = Schema.Union([AnyToken, AnyScope, NeedsCapability])
export type AccessRule = typeof AccessRule.Type

/** Permissions that an app declares or that an installation was granted. */
export interface Grants {
  readonly scopes: ReadonlyArray<Scope>
  readonly capabilities: ReadonlyArray<Capability>
}

/** All scopes and capabilities. */
export const ALL_GRANTS: Grants = { scopes: Scope.literals, capabilities: Capability.literals }

export const NO_GRANTS: Grants = { scopes: [], capabilities: [] }

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

/** Returns the error for grants that do not satisfy the rule, or undefined. */
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
