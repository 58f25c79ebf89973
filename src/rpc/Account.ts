import { Rpc, RpcGroup } from "@effect/rpc"
import { Account } from "../domain/access/Merchants.ts"
import { Identified } from "./Principal.ts"

/** Who calls, and the stores that they are members of. */
export const getAccount = Rpc.make("account.get", { payload: {}, success: Account })

/** The caller's own account, in no store. */
export class AccountRpcs extends RpcGroup.make(getAccount).middleware(Identified) {}
