import { Effect, Function as Fn, Redacted } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { extend } from "../../domain/Document.ts"
import * as Rpcs from "../groups/Agents.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { page } from "./StoredJson.ts"
import { merchantIn } from "./Authorization.ts"
import { makeProcedures } from "./StoreHandlers.ts"

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
          const { body, replayed } = yield* performed(Rpcs.createAgent, asked, given, write, Fn.identity)
          return extend(body, JSON.stringify({ token: replayed ? null : Redacted.value(token) }))
        }),
      Fn.identity
    ),
    "agents.list": inStore(
      Rpcs.listAgents,
      ({ payload }) => agents.list(payload.storeId, pageRequestOf(payload)),
      page
    ),
    "agents.update": write(
      Rpcs.updateAgent,
      ({ id, patch, storeId }) => agents.update(storeId, id, patch),
      Fn.identity
    ),
    "agents.revoke": write(Rpcs.revokeAgent, ({ id, storeId }) => agents.revoke(storeId, id), Fn.identity)
  }
})
