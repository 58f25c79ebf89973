import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Stores } from "../../domain/access/Stores.ts"
import * as Rpcs from "../groups/Stores.ts"
import { encodeSuccess } from "./StoredJson.ts"
import { makeHandlerFactory } from "./HandlerFactory.ts"

export const makeStoreHandlers = Effect.gen(function* () {
  const merchants = yield* Merchants
  const stores = yield* Stores
  const { storeHandler, writeHandler } = yield* makeHandlerFactory
  const joinedJson = encodeSuccess(Rpcs.joinMember)
  const leftJson = encodeSuccess(Rpcs.leaveMember)

  return {
    "store.get": storeHandler(
      Rpcs.getStore,
      ({ payload }) => stores.get(payload.storeId),
      encodeSuccess(Rpcs.getStore)
    ),
    "settings.update": writeHandler(
      Rpcs.updateSettings,
      ({ settings, storeId }) => stores.updateSettings(storeId, settings),
      encodeSuccess(Rpcs.updateSettings)
    ),

    "members.list": storeHandler(
      Rpcs.listMembers,
      ({ payload }) => merchants.members(payload.storeId),
      encodeSuccess(Rpcs.listMembers)
    ),
    "members.join": writeHandler(
      Rpcs.joinMember,
      ({ email, role, storeId }) => merchants.join(storeId, email, role),
      (merchantId, { role }) => joinedJson({ merchantId, role })
    ),
    "members.leave": writeHandler(
      Rpcs.leaveMember,
      ({ merchantId, storeId }) => merchants.leave(storeId, merchantId),
      (_, { merchantId }) => leftJson({ merchantId })
    )
  }
})
