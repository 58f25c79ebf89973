import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Account, PasswordAttempt, Password } from "../../domain/access/Merchants.ts"
import { SessionId, SessionSummary, SignInBusy, TooManySignIns, WrongPassword } from "../../domain/access/Sessions.ts"
import { Authentication } from "../Authentication.ts"

/** Who calls, and the stores that they are members of. */
export const getAccount = Rpc.make("account.get", { payload: {}, success: Account })

/**
 * Another password for the caller. Their other sessions end, the one that asks goes on. It takes no key: the record of one
 * would be made of the passwords. Repeated, it is refused, as the current password is another by then.
 */
export const changePassword = Rpc.make("account.changePassword", {
  payload: { current: PasswordAttempt, next: Password },
  success: Schema.Struct({ sessionsEnded: Schema.Int }),
  error: Schema.Union([WrongPassword, TooManySignIns, SignInBusy])
})

/** The caller's own account, in no store. */
export class AccountRpcs extends RpcGroup.make(getAccount, changePassword).middleware(Authentication) {}

/** The newest first. */
export const listSessions = Rpc.make("sessions.list", {
  success: Schema.Array(
    Schema.Struct({
      ...SessionSummary.fields,
      createdAt: Schema.DateFromString,
      seenAt: Schema.DateFromString,
      /** Whether it is the one that asks. */
      isCurrent: Schema.Boolean
    })
  ),
  payload: {}
})

/** Its next request is refused. Another's session goes on, as if there were none. */
export const endSession = Rpc.make("sessions.end", {
  payload: { sessionId: SessionId },
  success: Schema.Struct({ sessionId: SessionId })
})

/** The caller's own sessions, in no store. */
export class SessionRpcs extends RpcGroup.make(listSessions, endSession).middleware(Authentication) {}
