import { Effect, Function as Fn, Redacted } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { extend } from "../../domain/json/Document.ts"
import * as Rpcs from "../groups/Agents.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { pageJson } from "./StoredJson.ts"
import { merchantIn } from "./Authorization.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

export const makeAgentHandlers = Effect.gen(function* () {
  const agents = yield* Agents
  const { storeHandler, runWrite, writeHandler } = yield* makeHandlerFactory

  return {
    "agents.create": storeHandler(
      Rpcs.createAgent,
      (call, json) =>
        Effect.gen(function* () {
          const { id } = yield* merchantIn(call.principal)
          const { token, write } = agents.create(call.payload.storeId, id, call.payload.agent)
          const { replayed, text } = yield* runWrite(Rpcs.createAgent, call, json, write, Fn.identity)
          return extend(text, JSON.stringify({ token: replayed ? null : Redacted.value(token) }))
        }),
      Fn.identity
    ),
    "agents.list": storeHandler(
      Rpcs.listAgents,
      ({ payload }) => agents.list(payload.storeId, toPageRequest(payload)),
      pageJson
    ),
    "agents.update": writeHandler(
      Rpcs.updateAgent,
      ({ id, patch, storeId }) => agents.update(storeId, id, patch),
      Fn.identity
    ),
    "agents.revoke": writeHandler(Rpcs.revokeAgent, ({ id, storeId }) => agents.revoke(storeId, id), Fn.identity)
  }
})
