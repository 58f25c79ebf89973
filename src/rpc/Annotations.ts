import { Context } from "effect"
import type { Scope } from "../domain/access/Scope.ts"

/** Members and agents of a store that may call a procedure. Scopes select the agents that have all of them. */
export interface AccessPolicy {
  readonly members: "all" | "owners"
  readonly agents: "all" | "none" | readonly [Scope, ...ReadonlyArray<Scope>]
}

/** All members, no agents. */
export const MEMBERS_ONLY: AccessPolicy = { members: "all", agents: "none" }

/** Annotation of a procedure in a store: its callers. Default: members only. */
export const AccessPolicy = Context.Reference<AccessPolicy>("rpc/AccessPolicy", {
  defaultValue: () => MEMBERS_ONLY
})

/** Owners, no agents. */
export const OWNERS_ONLY: AccessPolicy = { members: "owners", agents: "none" }

/** All members and all agents. */
export const MEMBERS_AND_AGENTS: AccessPolicy = { members: "all", agents: "all" }

/** All members, and agents with all of the scopes. */
export const membersAndAgentsWith = (...scopes: readonly [Scope, ...ReadonlyArray<Scope>]): AccessPolicy => ({
  members: "all",
  agents: scopes
})

/** Returns the first scope that a policy requires of an agent, and that it does not have. */
export const findMissingScope = (
  { agents }: Pick<AccessPolicy, "agents">,
  scopes: ReadonlyArray<Scope>
): Scope | undefined =>
  agents === "all" || agents === "none" ? undefined : agents.find((scope) => !scopes.includes(scope))

/** Annotation of a procedure: its description as an MCP tool. A procedure without one is not a tool. */
export const ToolDescription = Context.Reference<string | undefined>("rpc/ToolDescription", {
  defaultValue: (): string | undefined => undefined
})

/** Annotation of a procedure: its response is a change set for which a job runs. */
export const StartsJob = Context.Reference("rpc/StartsJob", { defaultValue: () => false })
