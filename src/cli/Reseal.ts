import { Effect } from "effect"
import { Command } from "effect/cli"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { command, json, print } from "./Frame.ts"

export const reseal = command("reseal", { json }, function* ({ json }) {
  const webhooks = yield* Webhooks
  const { resealed, unopened } = yield* webhooks.reseal
  yield* print(json, { resealed, unopened })
  if (unopened > 0) {
    return yield* Effect.fail({
      message: `Webhooks whose secret does not open: ${unopened}. Give the key that sealed it as SECRET_KEY_PREVIOUS, or make a new one with: apps webhook rotate-secret --now`
    })
  }
}).pipe(
  Command.withDescription(
    "Seal the secrets of all webhooks with SECRET_KEY: those that SECRET_KEY_PREVIOUS opens, and those that were never sealed"
  )
)
