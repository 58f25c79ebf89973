import { Effect, Redacted } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { extend } from "../../domain/Document.ts"
import * as Rpcs from "../Agents.ts"
import { asItIs, page } from "./Answers.ts"
import { makeProcedures, merchantIn, type ProceduresOf } from "./Procedure.ts"
import { requestOf } from "./Asked.ts"

export const makeAgentProcedures = Effect.gen(function* () {
  const agents = yield* Agents
  const { inStore, performed, write } = yield* makeProcedures

  return {
    "agents.create": inStore(
      Rpcs.createAgent,
      (asked, given) =>
        Effect.gen(function* () {
          const { id } = yield* merchantIn(asked.principal)
          const { token, write } = agents.create(asked.payload.storeId, id, asked.payload.agent)
          const { body, replayed } = yield* performed(Rpcs.createAgent, asked, given, write, asItIs)
          return extend(body, JSON.stringify({ token: replayed ? null : Redacted.value(token) }))
        }),
      asItIs
    ),
    "agents.list": inStore(Rpcs.listAgents, ({ payload }) => agents.list(payload.storeId, requestOf(payload)), page),
    "agents.update": write(Rpcs.updateAgent, ({ id, patch, storeId }) => agents.update(storeId, id, patch), asItIs),
    "agents.revoke": write(Rpcs.revokeAgent, ({ id, storeId }) => agents.revoke(storeId, id), asItIs)
  } satisfies ProceduresOf<typeof Rpcs.AgentRpcs>
})
