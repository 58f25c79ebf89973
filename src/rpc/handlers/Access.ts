import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import * as Rpcs from "../Access.ts"
import { encoded } from "./Answers.ts"
import { currentMerchant, makeProcedures, procedure, type ProceduresOf } from "./Procedure.ts"

export const makeAccessProcedures = Effect.gen(function* () {
  const merchants = yield* Merchants
  const sessions = yield* Sessions
  const stores = yield* Stores
  const { inStore } = yield* makeProcedures
  const sessionsJson = encoded(Rpcs.listSessions)
  const endedJson = encoded(Rpcs.endSession)

  return {
    "store.get": inStore(Rpcs.getStore, ({ payload }) => stores.get(payload.storeId), encoded(Rpcs.getStore)),

    "members.list": inStore(
      Rpcs.listMembers,
      ({ payload }) => merchants.members(payload.storeId),
      encoded(Rpcs.listMembers)
    ),
    "members.join": inStore(
      Rpcs.joinMember,
      ({ payload }) =>
        merchants.join(payload.storeId, payload.email, payload.role).pipe(
          Effect.catchTag("UnknownStore", () => new StoreNotFound()),
          Effect.map((merchantId) => ({ merchantId, role: payload.role }))
        ),
      encoded(Rpcs.joinMember)
    ),
    "members.leave": inStore(
      Rpcs.leaveMember,
      ({ payload: { merchantId, storeId } }) => Effect.as(merchants.leave(storeId, merchantId), { merchantId }),
      encoded(Rpcs.leaveMember)
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
  } satisfies ProceduresOf<typeof Rpcs.StoreRpcs | typeof Rpcs.MemberRpcs | typeof Rpcs.SessionRpcs>
})
