import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { startWebhookReceiver, type ReceiverBehaviour } from "./WebhookReceiver.ts"
import { command, group, integer, json, option, toggle, usageError, withHelp } from "./Options.ts"
import { print } from "./Output.ts"

const DEFAULT_PORT = 4000

const port = option("port", integer(0, 65_535), `Port on 127.0.0.1; 0 for any. Default: ${DEFAULT_PORT}`, "number")

const secret = Flag.Redacted("secret").pipe(
  Flag.withMetavar("secret"),
  Flag.withDescription("Signing secret, whsec_…. Default: secret of the demo webhook"),
  Flag.optional
)

const fail = option("fail", integer(200, 599), "Respond to every delivery with this status", "status").pipe(
  Flag.optional
)

const hang = toggle("hang", "Never respond")
const gone = toggle("gone", "Respond with 410, which pauses the webhook")

const listen = Command.make(
  "listen",
  { port: Flag.withDefault(port, DEFAULT_PORT), secret, fail, hang, gone, json },
  Effect.fnUntraced(function* ({ fail, gone, hang, json, port, secret }) {
    const behaviours: ReadonlyArray<ReceiverBehaviour> = [
      ...Option.toArray(Option.map(fail, (status) => ({ fail: status }))),
      ...(hang ? (["hang"] as const) : []),
      ...(gone ? (["gone"] as const) : [])
    ]
    const [behaviour = "accept", ...others] = behaviours
    if (others.length > 0) return yield* usageError("Give one of --fail, --hang and --gone")
    const { demoWebhookSecret } = yield* Effect.promise(() => import("../layers/demo/Demo.ts"))
    const url = yield* startWebhookReceiver({
      host: "127.0.0.1",
      port,
      secret: Option.isSome(secret) ? secret : yield* demoWebhookSecret,
      behaviour,
      print: Console.log,
      asJson: json
    })
    yield* Console.log(json ? JSON.stringify({ listening: url }) : `Listening on ${url}; Ctrl-C stops`)
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  withHelp({
    summary: "Run a receiver that verifies and prints webhooks",
    details: "For trying webhooks on this machine. --json prints one line of JSON per delivery.",
    examples: ["", "--port 4100 --secret whsec_…", "--fail 503 --json"]
  })
)

const reseal = command("reseal", { json }, function* ({ json }) {
  const webhooks = yield* Webhooks
  const { resealed, unopened } = yield* webhooks.reseal
  yield* print(json, { resealed, unopened })
  if (unopened > 0) {
    return yield* Effect.fail({
      message: `${unopened} webhook secrets could not be decrypted. Set SECRET_KEY_PREVIOUS to the key that encrypted them and run it again, or replace each secret with: apps webhook rotate-secret --now`
    })
  }
}).pipe(
  withHelp({
    summary: "Encrypt all webhook secrets again with SECRET_KEY",
    details: "Decrypts with SECRET_KEY_PREVIOUS, and encrypts secrets of releases that did not encrypt them.",
    examples: [""]
  })
)

export const webhooks = group("webhooks", "Try webhooks and re-encrypt their secrets").pipe(
  Command.withSubcommands([listen, reseal])
)
