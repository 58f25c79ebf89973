import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import * as Rpcs from "../groups/Account.ts"
import { encodeSuccess } from "./StoredJson.ts"
import { accountHandler } from "./AccountHandlerFactory.ts"
import { currentMerchant } from "./Authorization.ts"
import { makeHandler } from "./Handler.ts"

export const makeAccountHandlers = Effect.gen(function* () {
  const merchants = yield* Merchants
  const sessions = yield* Sessions
  const changedJson = encodeSuccess(Rpcs.changePassword)
  const sessionsJson = encodeSuccess(Rpcs.listSessions)
  const endedJson = encodeSuccess(Rpcs.endSession)

  return {
    "account.get": accountHandler(
      Rpcs.getAccount,
      (_, { id }) => merchants.account(id),
      encodeSuccess(Rpcs.getAccount)
    ),
    "account.changePassword": makeHandler(Rpcs.changePassword, (passwords) =>
      Effect.flatMap(currentMerchant, ({ id, sessionId }) =>
        Effect.map(sessions.changePassword({ merchantId: id, sessionId }, passwords), (sessionsEnded) =>
          changedJson({ sessionsEnded })
        )
      )
    ),

    "sessions.list": makeHandler(Rpcs.listSessions, () =>
      Effect.flatMap(currentMerchant, ({ id, sessionId }) =>
        Effect.map(sessions.list(id), (all) =>
          sessionsJson(all.map((one) => ({ ...one, isCurrent: one.sessionId === sessionId })))
        )
      )
    ),
    "sessions.end": makeHandler(Rpcs.endSession, ({ sessionId }) =>
      Effect.flatMap(currentMerchant, ({ id }) => Effect.as(sessions.end(id, sessionId), endedJson({ sessionId })))
    )
  }
})
