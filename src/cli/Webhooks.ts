import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { receive, type ReceiverBehaviour } from "../http/Receiver.ts"
import { command, group, integer, json, misused, option, toggle } from "./Options.ts"
import { print } from "./Output.ts"

const port = option("port", integer(0, 65_535), "Where to listen")

const secret = Flag.Redacted("secret").pipe(
  Flag.withMetavar("text"),
  Flag.withDescription("The webhook's secret, whsec_…; the demo's when not given"),
  Flag.optional
)

const fail = option("fail", integer(200, 599), "Answer every delivery with this status").pipe(Flag.optional)

const hang = toggle("hang", "Answer nothing at all")
const gone = toggle("gone", "Answer 410, which pauses the webhook")

/** What it was told to do, if it was told one thing. */
const selectBehaviour = (given: {
  readonly fail: Option.Option<number>
  readonly hang: boolean
  readonly gone: boolean
}): Option.Option<ReceiverBehaviour> => {
  const told: ReadonlyArray<ReceiverBehaviour> = [
    ...(Option.isSome(given.fail) ? [{ fail: given.fail.value }] : []),
    ...(given.hang ? ["hang" as const] : []),
    ...(given.gone ? ["gone" as const] : [])
  ]
  return told.length > 1 ? Option.none() : Option.some(told[0] ?? "accept")
}

const listen = Command.make(
  "listen",
  { port: Flag.withDefault(port, 4000), secret, fail, hang, gone },
  ({ port, secret, ...given }) =>
    Effect.gen(function* () {
      const { demoWebhookSecret } = yield* Effect.promise(() => import("../layers/demo/Demo.ts"))
      const behaviour = selectBehaviour(given)
      if (Option.isNone(behaviour)) return yield* misused("Give one of --fail, --hang and --gone")
      const url = yield* receive({
        host: "127.0.0.1",
        port,
        secret: Option.isSome(secret) ? secret : yield* demoWebhookSecret,
        behaviour: behaviour.value,
        print: Console.log
      })
      yield* Console.log(`Listening on ${url}; Ctrl-C stops`)
      return yield* Effect.never
    }).pipe(Effect.scoped)
).pipe(Command.withDescription("Print every webhook that arrives here, verified: a receiver to try with"))

const reseal = command("reseal", { json }, function* ({ json }) {
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

export const webhooks = group("webhooks", "Trying webhooks, and the key of their secrets").pipe(
  Command.withSubcommands([listen, reseal])
)
