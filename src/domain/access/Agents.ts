import { Schema } from "effect"
import { Scope } from "./Scope.ts"

/** Billing, agents, installations, members and settings are for people. */
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
