import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Account, PasswordAttempt, Password } from "../../domain/access/Merchants.ts"
import { SessionId, SessionSummary, SignInBusy, TooManySignIns, WrongPassword } from "../../domain/access/Sessions.ts"
import { Authentication } from "../Authentication.ts"

/** Reads the caller's account and stores. Merchants only. */
export const getAccount = Rpc.make("account.get", { payload: {}, success: Account })

/**
 * Changes the caller's password and ends their other sessions. It takes no idempotency key, because its fingerprint would
 * be a hash of the passwords. A retry fails with `WrongPassword`. Merchants only.
 */
export const changePassword = Rpc.make("account.changePassword", {
  payload: { current: PasswordAttempt, next: Password },
  success: Schema.Struct({ sessionsEnded: Schema.Int }),
  error: Schema.Union([WrongPassword, TooManySignIns, SignInBusy])
})

/** The caller's account. */
export class AccountRpcs extends RpcGroup.make(getAccount, changePassword).middleware(Authentication) {}

/** Lists the caller's sessions, newest first. Merchants only. */
export const listSessions = Rpc.make("sessions.list", {
  success: Schema.Array(
    Schema.Struct({
      ...SessionSummary.fields,
      createdAt: Schema.DateFromString,
      seenAt: Schema.DateFromString,
      /** True for the session of this call. */
      isCurrent: Schema.Boolean
    })
  ),
  payload: {}
})

/** Ends a session of the caller. Idempotent: unknown ids and sessions of others succeed without effect. Merchants only. */
export const endSession = Rpc.make("sessions.end", {
  payload: { sessionId: SessionId },
  success: Schema.Struct({ sessionId: SessionId })
})

/** The caller's sessions. */
export class SessionRpcs extends RpcGroup.make(listSessions, endSession).middleware(Authentication) {}
