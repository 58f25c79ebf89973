import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { randomBytes } from "node:crypto"
import { Email, Merchants } from "../domain/access/Merchants.ts"
import { command, group, json, Name, option } from "./Options.ts"
import { print } from "./Output.ts"

/** Of 120 random bits. Made here and shown once: one that was typed would stand in the shell's history. */
export const newPassword = Effect.sync(() => Redacted.make(randomBytes(15).toString("base64url")))

/** Makes an account, of a merchant or a developer: what they do with it makes them one. Prints the id as `id`. */
export const createAccount = (who: string, id: string) =>
  command(
    "create",
    {
      email: option("email", Email, `The e-mail address that the ${who} signs in with`),
      name: option("name", Name, `What the ${who} is called`),
      json
    },
    function* ({ email, json, name }) {
      const merchants = yield* Merchants
      const password = yield* newPassword
      const made = yield* merchants.create({ email, name, password })
      yield* print(json, { [id]: made, email, password: Redacted.value(password) })
    }
  )

const createDeveloper = createAccount("developer", "developerId").pipe(
  Command.withDescription("Make an account that can register apps; prints the password, which is not shown again")
)

export const developers = group("developers", "Who registers apps").pipe(Command.withSubcommands([createDeveloper]))
