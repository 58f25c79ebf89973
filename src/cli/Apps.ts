import { Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { Apps } from "../domain/access/Apps.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { Database } from "../layers/database/Postgres.ts"
import { appPlans } from "./AppPlans.ts"
import { capabilities, command, group, json, limit, misused, Name, option, print, printAll, scopes } from "./Frame.ts"
import { events, secretFact, webhook } from "./Webhook.ts"

const create = command(
  "create",
  {
    name: option("name", Name, "What it is called"),
    scopes,
    capabilities,
    url: option("webhook-url", Schema.String, "Where its events are sent to; prints the secret that signs them").pipe(
      Options.optional
    ),
    events: Options.repeated(events),
    json
  },
  function* ({ capabilities, events, json, name, scopes, url }) {
    const apps = yield* Apps
    const { subscribe } = yield* Webhooks
    if (Option.isSome(url) !== events.length > 0) return yield* misused("Give --webhook-url and --event together")
    const make = Effect.gen(function* () {
      const appId = yield* apps.create({ name, scopes, capabilities })
      const secret = Option.isSome(url) ? yield* subscribe(appId, { url: url.value, kinds: events }) : Option.none()
      return { appId, ...secretFact(secret) }
    })
    const { transaction } = yield* Database
    yield* print(json, yield* transaction(make))
  }
).pipe(
  Command.withDescription(
    "Make an app that may ask for the given scopes and capabilities, with a webhook if it wants events"
  )
)

const list = command("list", { limit, json }, function* ({ json, limit }) {
  const apps = yield* Apps
  yield* printAll(json, "apps", yield* apps.list(limit))
}).pipe(Command.withDescription("The newest apps: what they may ask for, and how often they are installed"))

export const apps = group("apps", "Apps").pipe(Command.withSubcommands([create, list, appPlans, webhook]))
