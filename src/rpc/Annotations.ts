import { Context } from "effect"
import type { Scope } from "../domain/access/Scope.ts"

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

/** What a procedure does and when to use it, for a model that has never seen the store: an annotation of its definition. */
export const ForAgents = Context.Reference<string | undefined>("rpc/ForAgents", {
  defaultValue: (): string | undefined => undefined
})
