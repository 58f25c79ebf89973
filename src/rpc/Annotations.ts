import { Context } from "effect"
import type { Scope } from "../domain/access/Scope.ts"

/** Which of a store's members may call a procedure, and which of its agents: all, none, or those that have a scope. */
export interface AccessPolicy {
  readonly members: "all" | "owners"
  readonly agents: "all" | "none" | Scope
}

/** Its members may. */
export const MEMBERS_ONLY: AccessPolicy = { members: "all", agents: "none" }

/** Who may call a procedure of a store, where that is not its members alone: an annotation of its definition. */
export const AccessPolicy = Context.Reference<AccessPolicy>("rpc/AccessPolicy", {
  defaultValue: () => MEMBERS_ONLY
})

/** Its owners may. */
export const OWNERS_ONLY: AccessPolicy = { members: "owners", agents: "none" }

/** Its members and all of its agents may. */
export const MEMBERS_AND_AGENTS: AccessPolicy = { members: "all", agents: "all" }

/** Its members may, and its agents that have the scope. */
export const membersAndAgentsWith = (scope: Scope): AccessPolicy => ({ members: "all", agents: scope })

/** What a procedure does and when to use it, for a model that has never seen the store: an annotation of its definition. */
export const ToolDescription = Context.Reference<string | undefined>("rpc/ToolDescription", {
  defaultValue: (): string | undefined => undefined
})
