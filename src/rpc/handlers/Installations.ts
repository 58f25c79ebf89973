import { Effect, Function as Fn } from "effect"
import { Installations } from "../../domain/access/Installations.ts"
import { Requests } from "../../domain/access/Requests.ts"
import * as Rpcs from "../groups/Installations.ts"
import { toPageRequest } from "../groups/CommonSchemas.ts"
import { deletedJson, pageJson } from "./StoredJson.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

export const makeInstallationHandlers = Effect.gen(function* () {
  const installations = yield* Installations
  const requests = yield* Requests
  const { storeHandler, writeHandler } = yield* makeHandlerFactory

  return {
    "installations.list": storeHandler(
      Rpcs.listInstallations,
      ({ payload }) => installations.listInstalled(payload.storeId, toPageRequest(payload)),
      pageJson
    ),
    "installations.get": storeHandler(
      Rpcs.getInstallation,
      ({ payload }) => installations.getInstalled(payload.storeId, payload.id),
      Fn.identity
    ),
    "installations.requests": storeHandler(
      Rpcs.recentRequests,
      ({ payload }) => requests.recent(payload.storeId, payload.id),
      Fn.identity
    ),
    "installations.suspend": writeHandler(
      Rpcs.suspendInstallation,
      ({ id, storeId }) => installations.suspend(storeId, id),
      Fn.identity
    ),
    "installations.resume": writeHandler(
      Rpcs.resumeInstallation,
      ({ id, storeId }) => installations.resume(storeId, id),
      Fn.identity
    ),
    "installations.uninstall": writeHandler(
      Rpcs.uninstall,
      ({ id, storeId }) => installations.uninstall(storeId, id),
      deletedJson
    )
  }
})
