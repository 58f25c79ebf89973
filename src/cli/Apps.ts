import { Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { type AppId, Apps, SECRET_OVERLAP } from "../domain/access/Apps.ts"
import { Email, Merchants } from "../domain/access/Merchants.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { Database } from "../layers/sql/Postgres.ts"
import { appPlans } from "./AppPlans.ts"
import {
  anyNumberOf,
  app,
  capabilities,
  command,
  group,
  integer,
  json,
  limit,
  misused,
  Name,
  option,
  scopes,
  toggle
} from "./Options.ts"
import { print, printList } from "./Output.ts"
import { events, secretFields, webhook } from "./AppWebhooks.ts"

/** Gives an app a secret: what it calls itself by, and proves that with. */
const rotateClientSecret = Effect.fnUntraced(function* (app: AppId, overlapHours: number) {
  const { rotateSecret } = yield* Apps
  const { previousUntil, secret } = yield* rotateSecret(app, overlapHours)
  return { clientId: app, clientSecret: Redacted.value(secret), previousUntil: previousUntil ?? undefined }
})

const create = command(
  "create",
  {
    name: option("name", Name, "What it is called"),
    scopes,
    capabilities,
    url: option("webhook-url", Schema.String, "Where its events are sent to; prints the secret that signs them").pipe(
      Flag.optional
    ),
    events: anyNumberOf(events),
    redirectUris: anyNumberOf(
      option("redirect-uri", Schema.String, "Where merchants are sent back to who agree to it; give it once for each")
    ),
    isPublic: toggle("public", "It can keep no secret, as a program on somebody's own machine"),
    isConfidential: toggle(
      "confidential",
      "It can, as a server; prints its secret. With --redirect-uri, unless --public is given"
    ),
    developer: option("developer", Email, "The e-mail address of the account that it belongs to").pipe(Flag.optional),
    json
  },
  function* ({ developer, events, isConfidential, isPublic, json, url, ...app }) {
    const apps = yield* Apps
    const merchants = yield* Merchants
    const { subscribe } = yield* Webhooks
    if (Option.isSome(url) !== events.length > 0) return yield* misused("Give --webhook-url and --event together")
    if (isPublic && isConfidential) return yield* misused("Give one of --public and --confidential")
    const hasSecret = isConfidential || (app.redirectUris.length > 0 && !isPublic)
    const make = Effect.gen(function* () {
      const account = Option.isSome(developer) ? yield* merchants.find(developer.value) : null
      const appId = yield* apps.create({ ...app, isPublic, developer: account })
      const client = hasSecret ? yield* rotateClientSecret(appId, 0) : isPublic ? { clientId: appId } : {}
      const secret = Option.isSome(url) ? yield* subscribe(appId, { url: url.value, kinds: events }) : Option.none()
      return { appId, ...client, ...secretFields(secret) }
    })
    const { transaction } = yield* Database
    yield* print(json, yield* transaction(make))
  }
).pipe(
  Command.withDescription(
    "Make an app that may ask for the given scopes and capabilities, of merchants if they are sent back to it, with a webhook if it wants events"
  )
)

const list = command("list", { limit, json }, function* ({ json, limit }) {
  const apps = yield* Apps
  yield* printList(json, "apps", yield* apps.list(limit))
}).pipe(Command.withDescription("The newest apps: what they may ask for, and how often they are installed"))

const rotate = command(
  "rotate-secret",
  {
    app,
    overlap: option(
      "overlap-hours",
      integer(0, SECRET_OVERLAP.most),
      `Hours that the secret before is still good, ${SECRET_OVERLAP.usual} when not given; 0 for one that leaked`
    ).pipe(Flag.withDefault(SECRET_OVERLAP.usual)),
    json
  },
  function* ({ app, json, overlap }) {
    yield* print(json, yield* rotateClientSecret(app, overlap))
  }
).pipe(
  Command.withDescription("Make a new client secret, which is not shown again; the one before goes on for a while")
)

export const apps = group("apps", "Apps").pipe(Command.withSubcommands([create, list, rotate, appPlans, webhook]))
