import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Account, PasswordAttempt, Password } from "../../domain/access/Merchants.ts"
import { SignInBusy, TooManySignIns, WrongPassword } from "../../domain/access/Sessions.ts"
import { Identified } from "../Principal.ts"

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
export class AccountRpcs extends RpcGroup.make(getAccount, changePassword).middleware(Identified) {}
