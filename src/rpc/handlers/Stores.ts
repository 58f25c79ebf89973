import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { Stores } from "../../domain/access/Stores.ts"
import * as Rpcs from "../groups/Stores.ts"
import { encoded } from "./StoredJson.ts"
import { currentMerchant, makeProcedures, procedure } from "./StoreHandlers.ts"

export const makeAccessProcedures = Effect.gen(function* () {
  const merchants = yield* Merchants
  const sessions = yield* Sessions
  const stores = yield* Stores
  const { inStore, write } = yield* makeProcedures
  const joinedJson = encoded(Rpcs.joinMember)
  const leftJson = encoded(Rpcs.leaveMember)
  const sessionsJson = encoded(Rpcs.listSessions)
  const endedJson = encoded(Rpcs.endSession)

  return {
    "store.get": inStore(Rpcs.getStore, ({ payload }) => stores.get(payload.storeId), encoded(Rpcs.getStore)),
    "settings.update": write(
      Rpcs.updateSettings,
      ({ settings, storeId }) => stores.updateSettings(storeId, settings),
      encoded(Rpcs.updateSettings)
    ),

    "members.list": inStore(
      Rpcs.listMembers,
      ({ payload }) => merchants.members(payload.storeId),
      encoded(Rpcs.listMembers)
    ),
    "members.join": write(
      Rpcs.joinMember,
      ({ email, role, storeId }) => merchants.join(storeId, email, role),
      (merchantId, { role }) => joinedJson({ merchantId, role })
    ),
    "members.leave": write(
      Rpcs.leaveMember,
      ({ merchantId, storeId }) => merchants.leave(storeId, merchantId),
      (_, { merchantId }) => leftJson({ merchantId })
    ),

    "sessions.list": procedure(Rpcs.listSessions, () =>
      Effect.flatMap(currentMerchant, ({ id, sessionId }) =>
        Effect.map(sessions.list(id), (all) =>
          sessionsJson(all.map((one) => ({ ...one, isCurrent: one.sessionId === sessionId })))
        )
      )
    ),
    "sessions.end": procedure(Rpcs.endSession, ({ sessionId }) =>
      Effect.flatMap(currentMerchant, ({ id }) => Effect.as(sessions.end(id, sessionId), endedJson({ sessionId })))
    )
  }
})
