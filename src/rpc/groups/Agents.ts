import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Agent, AgentLimitReached, AgentNotFound, AgentPatch, NewAgent } from "../../domain/access/Agents.ts"
import { AgentId } from "../../domain/Actor.ts"
import { Authentication } from "../Authentication.ts"
import { keyedFields, Page, pageFields, WriteError } from "./CommonSchemas.ts"

/* The agents of a store: for all of its members, and for no agent. */

/** Its token is shown with the first answer alone: nothing that is kept holds it, so a retry is answered without. */
export const createAgent = Rpc.make("agents.create", {
  payload: { ...keyedFields, agent: NewAgent },
  success: Schema.Struct({
    ...Agent.fields,
    token: Schema.NullOr(Schema.String).annotate({
      description:
        "Sent as `Authorization: Bearer …`. Null where the key was used before: if it is lost, revoke the agent and create another"
    })
  }),
  error: Schema.Union([WriteError, AgentLimitReached])
})

/** Those that were revoked are among them: the journal names them. */
export const listAgents = Rpc.make("agents.list", {
  payload: pageFields(AgentId),
  success: Page(Agent, AgentId)
})

/** Only what is named changes, from the agent's next request on. */
export const updateAgent = Rpc.make("agents.update", {
  payload: { ...keyedFields, id: AgentId, patch: AgentPatch },
  success: Agent,
  error: Schema.Union([WriteError, AgentNotFound])
})

/** For good: from then on its token is refused, and so are its writes that are under way. */
export const revokeAgent = Rpc.make("agents.revoke", {
  payload: { ...keyedFields, id: AgentId },
  success: Agent,
  error: Schema.Union([WriteError, AgentNotFound])
})

/** The programs that act for the members of a store. */
export class AgentRpcs extends RpcGroup.make(createAgent, listAgents, updateAgent, revokeAgent).middleware(
  Authentication
) {}
