import { Effect, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Email, Merchants, type Role } from "../../../src/domain/access/Merchants.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performIn } from "../data/Writes.ts"

/** Password of all test accounts. */
export const PASSWORD = "correct horse battery"

/** Creates an account that is a member of the stores. */
export const makeMerchant = Effect.fn(function* (stores: ReadonlyArray<StoreId> = [], role: Role = "owner") {
  const { create, join } = yield* Merchants
  const email = Schema.decodeSync(Email)(`${randomUUID()}@example.com`)
  const id = yield* create({ email, name: "Ada", password: Redacted.make(PASSWORD) })
  for (const store of stores) yield* Effect.flatMap(performIn(store), (perform) => perform(join(store, email, role)))
  return { id, email }
})
