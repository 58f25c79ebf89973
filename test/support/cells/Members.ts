import { Effect } from "effect"
import { type Email, Merchants } from "../../../src/domain/access/Merchants.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performIn } from "../data/Writes.ts"
import { makeMerchant } from "../rpc/Merchants.ts"
import { clientOf, signIn } from "../rpc/Rpc.ts"
import { inCell, storeInEachCell } from "./CellsTest.ts"

/** Makes an account an owner of a store. Runs in the cell of the store. */
export const joinHere = Effect.fn(function* (storeId: StoreId, email: Email) {
  const { join } = yield* Merchants
  const perform = yield* performIn(storeId)
  return yield* perform(join(storeId, email, "owner"))
})

/** A member of one store in each cell, signed in through `main`. */
export const memberEverywhere = Effect.gen(function* () {
  const merchant = yield* makeMerchant()
  const stores = yield* storeInEachCell
  for (const { cell, storeId } of stores) {
    yield* inCell(cell, joinHere(storeId, merchant.email))
  }
  const cookie = yield* signIn(merchant.email)
  return { stores, cookie, client: yield* clientOf(cookie) }
})
