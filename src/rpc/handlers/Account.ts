import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import * as Rpcs from "../groups/Account.ts"
import { encoded } from "./StoredJson.ts"
import { readAccount } from "./AccountHandlers.ts"
import { currentMerchant } from "./Authorization.ts"
import { procedure } from "./StoreHandlers.ts"

export const makeAccountProcedures = Effect.gen(function* () {
  const merchants = yield* Merchants
  const sessions = yield* Sessions
  const changedJson = encoded(Rpcs.changePassword)
  const sessionsJson = encoded(Rpcs.listSessions)
  const endedJson = encoded(Rpcs.endSession)

  return {
    "account.get": readAccount(Rpcs.getAccount, (_, { id }) => merchants.account(id), encoded(Rpcs.getAccount)),
    "account.changePassword": procedure(Rpcs.changePassword, (passwords) =>
      Effect.flatMap(currentMerchant, ({ id, sessionId }) =>
        Effect.map(sessions.changePassword({ merchantId: id, sessionId }, passwords), (sessionsEnded) =>
          changedJson({ sessionsEnded })
        )
      )
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
