import { Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Agents } from "../../domain/access/Agents.ts"
import { Email, Merchants, Password } from "../../domain/access/Merchants.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"

const decodeEmail = Schema.decodeEffect(Email)
const decodePassword = Schema.decodeEffect(Password)

/** An owner of the store who can sign in, and an agent of theirs that may do everything an agent may. */
export const makeCallers = Effect.fnUntraced(function* (context: WriteContext) {
  const agents = yield* Agents
  const merchants = yield* Merchants
  const { perform } = yield* Writes
  const { storeId } = context
  // No two stores of a database have the same end of an id.
  const email = yield* decodeEmail(`owner-${storeId.slice(-12)}@example.com`)
  const password = yield* decodePassword(randomBytes(15).toString("base64url"))
  // Whose password is no longer known, as the file that told it is gone, gets another.
  yield* Effect.catchTag(merchants.create({ email, name: "Demo owner", password }), "EmailTaken", () =>
    merchants.resetPassword(email, password)
  )
  const merchant = yield* perform(context, merchants.join(storeId, email, "owner"))
  const { token, write } = agents.create(storeId, merchant, { name: "Demo agent", scopes: Scope.literals })
  yield* perform(context, write)
  return { merchantEmail: email, merchantPassword: Redacted.value(password), agentToken: Redacted.value(token) }
})
