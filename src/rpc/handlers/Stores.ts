import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Stores } from "../../domain/access/Stores.ts"
import * as Rpcs from "../groups/Stores.ts"
import { encoded } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeStoreProcedures = Effect.gen(function* () {
  const merchants = yield* Merchants
  const stores = yield* Stores
  const { inStore, write } = yield* makeProcedures
  const joinedJson = encoded(Rpcs.joinMember)
  const leftJson = encoded(Rpcs.leaveMember)

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
    )
  }
})
