import { Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Effect, Option } from "effect"
import { Installations } from "../domain/Installations.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { Database } from "../layers/database/Postgres.ts"
import { group, json, limit, Live, Name, option, print, printAll, scopes } from "./Frame.ts"
import { events, secretFact, webhook } from "./Webhook.ts"

const create = Command.make(
  "create",
  {
    name: option("name", Name, "What it is called"),
    scopes,
    url: Options.text("webhook-url").pipe(
      Options.withDescription("Where its events are sent to; prints the secret that signs them"),
      Options.optional
    ),
    events: Options.repeated(events),
    json
  },
  ({ events, json, name, scopes, url }) =>
    Effect.gen(function* () {
      const { createApp } = yield* Installations
      const { subscribe } = yield* Webhooks
      if (Option.isSome(url) !== events.length > 0) {
        return yield* Effect.fail(ValidationError.invalidValue(HelpDoc.p("Give --webhook-url and --event together")))
      }
      const make = Effect.gen(function* () {
        const appId = yield* createApp({ name, scopes })
        const secret = Option.isSome(url) ? yield* subscribe(appId, { url: url.value, kinds: events }) : Option.none()
        return { appId, ...secretFact(secret) }
      })
      const { transaction } = yield* Database
      yield* print(json, yield* transaction(make))
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Make an app that may ask for the given scopes, with a webhook if it wants events"))

const list = Command.make("list", { limit, json }, ({ json, limit }) =>
  Effect.gen(function* () {
    const { listApps } = yield* Installations
    yield* printAll(json, "apps", yield* listApps(limit))
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("The newest apps: what they may ask for, and how often they are installed"))

export const apps = group("apps", "Apps").pipe(Command.withSubcommands([create, list, webhook]))
