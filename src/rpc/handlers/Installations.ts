import { Effect } from "effect"
import { Installations } from "../../domain/access/Installations.ts"
import { Requests } from "../../domain/access/Requests.ts"
import * as Rpcs from "../Installations.ts"
import { asItIs, deleted, page } from "./Answers.ts"
import { requestOf } from "./Asked.ts"
import { makeProcedures, type ProceduresOf } from "./Procedure.ts"

export const makeInstallationProcedures = Effect.gen(function* () {
  const installations = yield* Installations
  const requests = yield* Requests
  const { inStore, write } = yield* makeProcedures

  return {
    "installations.list": inStore(
      Rpcs.listInstallations,
      ({ payload }) => installations.listInstalled(payload.storeId, requestOf(payload)),
      page
    ),
    "installations.get": inStore(
      Rpcs.getInstallation,
      ({ payload }) => installations.getInstalled(payload.storeId, payload.id),
      asItIs
    ),
    "installations.requests": inStore(
      Rpcs.recentRequests,
      ({ payload }) => requests.recent(payload.storeId, payload.id),
      asItIs
    ),
    "installations.suspend": write(
      Rpcs.suspendInstallation,
      ({ id, storeId }) => installations.suspend(storeId, id),
      asItIs
    ),
    "installations.resume": write(
      Rpcs.resumeInstallation,
      ({ id, storeId }) => installations.resume(storeId, id),
      asItIs
    ),
    "installations.uninstall": write(Rpcs.uninstall, ({ id, storeId }) => installations.uninstall(storeId, id), deleted)
  } satisfies ProceduresOf<typeof Rpcs.InstallationRpcs>
})
