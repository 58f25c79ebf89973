import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountLinks, LINK_PATHS, RESET_HOURS } from "../domain/access/AccountLinks.ts"
import { Email, Merchants, Role } from "../domain/access/Merchants.ts"
import { UnknownStore } from "../domain/access/Stores.ts"
import { Writes } from "../domain/Write.ts"
import { publicAddress } from "../layers/Settings.ts"
import { generatePassword, makeCreateAccount } from "./Accounts.ts"
import { choice, command, group, json, operatorContext, option, store, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

const email = option("email", Email, "E-mail address that the merchant signs in with")
const role = choice(
  "role",
  Role.literals,
  "Role in the store: staff cannot manage members and billing. Default: owner"
).pipe(Flag.withDefault("owner"))

const create = makeCreateAccount("merchantId").pipe(
  withHelp({
    summary: "Create a merchant account",
    details: "Prints the generated password once. Add the account to a store with: merchants join",
    examples: ["--email ada@example.com --name Ada"]
  })
)

const resetPassword = command("reset-password", { email, json }, function* ({ email, json }) {
  const merchants = yield* Merchants
  const password = yield* generatePassword
  const sessionsEnded = yield* merchants.resetPassword(email, password)
  yield* print(json, { email, password: Redacted.value(password), sessionsEnded })
}).pipe(
  withHelp({
    summary: "Replace the password of an account and end its sessions",
    details: "Prints the generated password once.",
    examples: ["--email ada@example.com"]
  })
)

const resetLink = command("reset-link", { email, json }, function* ({ email, json }) {
  const links = yield* AccountLinks
  const { expiresAt, token } = yield* links.createOperatorReset(email)
  const link = `${yield* publicAddress}${LINK_PATHS.reset}#${Redacted.value(token)}`
  yield* print(json, { email, link, expiresAt })
}).pipe(
  withHelp({
    summary: "Create a link by which the owner of an account chooses a new password",
    details: `The link works once, for ${RESET_HOURS} hours, and replaces an older one. It starts with PUBLIC_URL; without it, prepend the address of the service. Its use verifies the e-mail address and ends all sessions.`,
    examples: ["--email ada@example.com"]
  })
)

const join = command("join", { email, store, role, json }, function* ({ email, json, role, store }) {
  const merchants = yield* Merchants
  const { perform } = yield* Writes
  const merchantId = yield* Effect.catchTag(
    perform(operatorContext(store), merchants.join(store, email, role)),
    "StoreNotFound",
    () => new UnknownStore({ id: store })
  )
  yield* print(json, { merchantId, storeId: store, role })
}).pipe(
  withHelp({
    summary: "Add a merchant to a store, or change the role of a member",
    examples: ["--email ada@example.com --store <id> --role staff"]
  })
)

const members = command("list", { store, json }, function* ({ json, store }) {
  const merchants = yield* Merchants
  yield* printList(json, "members", yield* merchants.members(store))
}).pipe(withHelp({ summary: "List the members of a store", examples: ["--store <id>"] }))

export const merchants = group("merchants", "Manage accounts that sign in to the dashboard").pipe(
  Command.withSubcommands([create, resetPassword, resetLink, join, members])
)
