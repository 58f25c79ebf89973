import { Effect } from "effect"
import { Merchants } from "../../domain/access/Merchants.ts"
import * as Rpcs from "../Account.ts"
import { encoded } from "./Answers.ts"
import { readOwn } from "./Own.ts"
import type { ProceduresOf } from "./Procedure.ts"

export const makeAccountProcedures = Effect.gen(function* () {
  const merchants = yield* Merchants

  return {
    "account.get": readOwn(Rpcs.getAccount, (_, { id }) => merchants.account(id), encoded(Rpcs.getAccount))
  } satisfies ProceduresOf<typeof Rpcs.AccountRpcs>
})
