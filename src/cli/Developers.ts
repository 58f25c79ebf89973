import { Command } from "effect/cli"
import { createAccount } from "./Accounts.ts"
import { group } from "./Frame.ts"

const create = createAccount("developer", "developerId").pipe(
  Command.withDescription("Make an account that can register apps; prints the password, which is not shown again")
)

export const developers = group("developers", "Who registers apps").pipe(Command.withSubcommands([create]))
