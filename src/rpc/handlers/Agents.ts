import { Effect, Redacted } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { extend } from "../../domain/Document.ts"
import * as Rpcs from "../Agents.ts"
import { asItIs, page } from "./Answers.ts"
import { makeProcedures, merchantIn, type ProceduresOf } from "./Procedure.ts"
import { requestOf } from "./Asked.ts"

export const makeAgentProcedures = Effect.gen(function* () {
  const agents = yield* Agents
  const { inStore, performed } = yield* makeProcedures

  return {
    "agents.create": inStore(
      Rpcs.createAgent,
      (asked, json) =>
        Effect.gen(function* () {
          const { id } = yield* merchantIn(asked.principal)
          const { token, write } = agents.create(asked.payload.storeId, id, asked.payload.agent)
          const outcome = yield* performed(Rpcs.createAgent, asked, json, write, asItIs)
          return extend(outcome.body, JSON.stringify({ token: outcome.replayed ? null : Redacted.value(token) }))
        }),
      asItIs
    ),
    "agents.list": inStore(Rpcs.listAgents, ({ payload }) => agents.list(payload.storeId, requestOf(payload)), page),
    "agents.update": inStore(
      Rpcs.updateAgent,
      ({ payload }) => agents.update(payload.storeId, payload.id, payload.patch),
      asItIs
    ),
    "agents.revoke": inStore(Rpcs.revokeAgent, ({ payload }) => agents.revoke(payload.storeId, payload.id), asItIs)
  } satisfies ProceduresOf<typeof Rpcs.AgentRpcs>
})
