import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { randomBytes } from "node:crypto"
import { Email, Merchants } from "../domain/access/Merchants.ts"
import { command, group, json, Name, option, withHelp } from "./Options.ts"
import { print } from "./Output.ts"

/** Generates a password of 120 random bits. Typed passwords would stay in the shell's history. */
export const generatePassword = Effect.sync(() => Redacted.make(randomBytes(15).toString("base64url")))

/** Makes a `create` command for accounts. Merchants and developers have the same kind of account. */
export const makeCreateAccount = (idField: "merchantId" | "developerId") =>
  command(
    "create",
    {
      email: option("email", Email, "E-mail address to sign in with"),
      name: option("name", Name, "Display name"),
      json
    },
    function* ({ email, json, name }) {
      const merchants = yield* Merchants
      const password = yield* generatePassword
      const id = yield* merchants.create({ email, name, password })
      yield* print(json, { [idField]: id, email, password: Redacted.value(password) })
    }
  )

const createDeveloper = makeCreateAccount("developerId").pipe(
  withHelp({
    summary: "Create an account that can register apps",
    details: "Prints the generated password once.",
    examples: ['--email dev@example.com --name "App developer"']
  })
)

export const developers = group("developers", "Manage accounts that register apps").pipe(
  Command.withSubcommands([createDeveloper])
)
