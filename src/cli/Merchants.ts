import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Email, Merchants, Role } from "../domain/access/Merchants.ts"
import { UnknownStore } from "../domain/access/Stores.ts"
import { StoreId } from "../domain/Store.ts"
import { Writes } from "../domain/Write.ts"
import { createAccount, newPassword } from "./Accounts.ts"
import { choice, command, group, json, operatorIn, option } from "./Options.ts"
import { print, printList } from "./Output.ts"

const email = option("email", Email, "The e-mail address that the merchant signs in with")
const store = option("store", StoreId, "The store's id")
const role = choice(
  "role",
  Role.literals,
  "An owner may do everything in the store, staff all but members and billing"
).pipe(Flag.withDefault("owner"))

const create = createAccount("merchant", "merchantId").pipe(
  Command.withDescription("Make a merchant who can sign in; prints the password, which is not shown again")
)

const resetPassword = command("reset-password", { email, json }, function* ({ email, json }) {
  const merchants = yield* Merchants
  const password = yield* newPassword
  const sessionsEnded = yield* merchants.resetPassword(email, password)
  yield* print(json, { email, password: Redacted.value(password), sessionsEnded })
}).pipe(Command.withDescription("Give a merchant a new password, which is printed; every session of theirs ends"))

const join = command("join", { email, store, role, json }, function* ({ email, json, role, store }) {
  const merchants = yield* Merchants
  const { perform } = yield* Writes
  const merchantId = yield* Effect.catchTag(
    perform(operatorIn(store), merchants.join(store, email, role)),
    "StoreNotFound",
    () => new UnknownStore({ id: store })
  )
  yield* print(json, { merchantId, storeId: store, role })
}).pipe(Command.withDescription("Make a merchant a member of a store, or give a member another role"))

const members = command("list", { store, json }, function* ({ json, store }) {
  const merchants = yield* Merchants
  yield* printList(json, "members", yield* merchants.members(store))
}).pipe(Command.withDescription("The members of a store and their roles"))

export const merchants = group("merchants", "Who signs in to the dashboard").pipe(
  Command.withSubcommands([create, resetPassword, join, members])
)
