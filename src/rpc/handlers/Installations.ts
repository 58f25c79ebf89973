import { Effect, Function as Fn } from "effect"
import { Installations } from "../../domain/access/Installations.ts"
import { Requests } from "../../domain/access/Requests.ts"
import * as Rpcs from "../groups/Installations.ts"
import { pageRequestOf } from "../groups/CommonSchemas.ts"
import { deleted, page } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeInstallationProcedures = Effect.gen(function* () {
  const installations = yield* Installations
  const requests = yield* Requests
  const { inStore, write } = yield* makeProcedures

  return {
    "installations.list": inStore(
      Rpcs.listInstallations,
      ({ payload }) => installations.listInstalled(payload.storeId, pageRequestOf(payload)),
      page
    ),
    "installations.get": inStore(
      Rpcs.getInstallation,
      ({ payload }) => installations.getInstalled(payload.storeId, payload.id),
      Fn.identity
    ),
    "installations.requests": inStore(
      Rpcs.recentRequests,
      ({ payload }) => requests.recent(payload.storeId, payload.id),
      Fn.identity
    ),
    "installations.suspend": write(
      Rpcs.suspendInstallation,
      ({ id, storeId }) => installations.suspend(storeId, id),
      Fn.identity
    ),
    "installations.resume": write(
      Rpcs.resumeInstallation,
      ({ id, storeId }) => installations.resume(storeId, id),
      Fn.identity
    ),
    "installations.uninstall": write(Rpcs.uninstall, ({ id, storeId }) => installations.uninstall(storeId, id), deleted)
  }
})
