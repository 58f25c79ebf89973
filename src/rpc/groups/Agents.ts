import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Agent, AgentLimitReached, AgentNotFound, AgentPatch, NewAgent } from "../../domain/access/Agents.ts"
import { AgentId } from "../../domain/access/Ids.ts"
import { Authentication } from "../Authentication.ts"
import { keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

/* Agents of a store. All procedures are for members, not for agents. */

/** Creates an agent. Only the first response has its token, because only its hash is stored; a retry returns null. */
export const createAgent = Rpc.make("agents.create", {
  payload: { ...keyedFields, agent: NewAgent },
  success: Schema.Struct({
    ...Agent.fields,
    token: Schema.NullOr(Schema.String).annotate({
      description:
        "Bearer token for the `Authorization` header. Null in the response to a retry: if you lost the token, revoke the agent and create another"
    })
  }),
  error: Schema.Union([WriteError, AgentLimitReached])
})

/** Lists agents, including revoked ones that the activity refers to. */
export const listAgents = Rpc.make("agents.list", {
  payload: pageFields(AgentId),
  success: Page(Agent, AgentId)
})

/** Changes an agent with a merge patch, effective with its next request. */
export const updateAgent = Rpc.make("agents.update", {
  payload: { ...keyedFields, id: AgentId, patch: AgentPatch },
  success: Agent,
  error: Schema.Union([WriteError, AgentNotFound])
})

/** Revokes an agent permanently. Its token and its writes in progress fail. */
export const revokeAgent = Rpc.make("agents.revoke", {
  payload: { ...keyedFields, id: AgentId },
  success: Agent,
  error: Schema.Union([WriteError, AgentNotFound])
})

/** Agents of a store. */
export class AgentRpcs extends RpcGroup.make(createAgent, listAgents, updateAgent, revokeAgent).middleware(
  Authentication
) {}
