import { Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { AppId } from "../domain/access/Ids.ts"
import { Apps, SECRET_OVERLAP } from "../domain/access/Apps.ts"
import { Email, Merchants } from "../domain/access/Merchants.ts"
import { Webhooks } from "../domain/webhooks/Webhooks.ts"
import { appPlans } from "./AppPlans.ts"
import { events, secretFields, webhook } from "./AppWebhooks.ts"
import { OtherCells, printRows } from "./CellLists.ts"
import {
  anyNumberOf,
  app,
  capabilities,
  command,
  group,
  integer,
  json,
  limit,
  Name,
  option,
  scopes,
  toggle,
  usageError,
  withHelp
} from "./Options.ts"
import { print } from "./Output.ts"

/** Creates a client secret. The client id is the app's id. */
const createClientSecret = Effect.fnUntraced(function* (app: AppId, overlapHours: number) {
  const { rotateSecret } = yield* Apps
  const { previousUntil, secret } = yield* rotateSecret(app, overlapHours)
  return { clientId: app, clientSecret: Redacted.value(secret), previousUntil: previousUntil ?? undefined }
})

const create = command(
  "create",
  {
    name: option("name", Name, "Display name"),
    scopes,
    capabilities,
    url: option("webhook-url", Schema.String, "URL that receives the app's events", "url").pipe(Flag.optional),
    events: anyNumberOf(events),
    redirectUris: anyNumberOf(
      option("redirect-uri", Schema.String, "OAuth redirect URI; repeatable. Makes the app an OAuth client", "uri")
    ),
    isPublic: toggle("public", "Public OAuth client without a secret, for example a desktop app"),
    isConfidential: toggle(
      "confidential",
      "OAuth client with a secret. Default with --redirect-uri, unless --public is given"
    ),
    developer: option("developer", Email, "E-mail address of the account that owns the app", "email").pipe(
      Flag.optional
    ),
    json
  },
  function* ({ developer, events, isConfidential, isPublic, json, url, ...app }) {
    const apps = yield* Apps
    const merchants = yield* Merchants
    const { subscribe } = yield* Webhooks
    if (Option.isSome(url) !== events.length > 0) return yield* usageError("Give --webhook-url and --event together")
    if (isPublic && isConfidential) return yield* usageError("Give one of --public and --confidential")
    const hasSecret = isConfidential || (app.redirectUris.length > 0 && !isPublic)
    const account = Option.isSome(developer) ? yield* merchants.find(developer.value) : null
    const setUp = Effect.fnUntraced(function* (appId: AppId) {
      const client = hasSecret ? yield* createClientSecret(appId, 0) : isPublic ? { clientId: appId } : {}
      const secret = Option.isSome(url) ? yield* subscribe(appId, { url: url.value, kinds: events }) : Option.none()
      return { appId, ...client, ...secretFields(secret) }
    })
    yield* print(json, yield* apps.createWith({ ...app, isPublic, developer: account }, setUp))
  }
).pipe(
  withHelp({
    summary: "Create an app with the scopes and capabilities that it declares",
    details:
      "With --redirect-uri the app is an OAuth client. With --webhook-url and --event it receives events. Secrets are printed once.",
    examples: [
      '--name "Stock sync" --scope read_products --scope write_products',
      '--name Loyalty --scope read_orders --redirect-uri "https://app.example/callback"',
      '--name Feed --scope read_products --webhook-url "https://app.example/hooks" --event catalog.product.updated.v1'
    ]
  })
)

const list = command("list", { limit, json }, function* ({ json, limit }) {
  const { list } = yield* OtherCells
  const apps = Effect.flatMap(Apps, (service) => service.list(limit))
  const own = yield* apps
  const others = yield* list(apps)
  // Every cell has copies of the apps, and counts the installations on its own stores.
  const counts = new Map<AppId, number>()
  for (const { appId, installations } of others.found.flatMap(({ rows }) => rows)) {
    counts.set(appId, (counts.get(appId) ?? 0) + installations)
  }
  const rows = own.map((app) => ({ ...app, installations: app.installations + (counts.get(app.appId) ?? 0) }))
  yield* printRows(json, "apps", rows, others)
}).pipe(
  withHelp({
    summary: "List the newest apps with their installations",
    details: "If a cell is out of reach, the command counts those of the others, and fails.",
    examples: ["", "--limit 10 --json"]
  })
)

const rotate = command(
  "rotate-secret",
  {
    app,
    overlapHours: option(
      "overlap-hours",
      integer(0, SECRET_OVERLAP.most),
      `Hours for which the previous secret stays valid; 0 if it leaked. Default: ${SECRET_OVERLAP.usual}`,
      "number"
    ).pipe(Flag.withDefault(SECRET_OVERLAP.usual)),
    json
  },
  function* ({ app, json, overlapHours }) {
    yield* print(json, yield* createClientSecret(app, overlapHours))
  }
).pipe(
  withHelp({
    summary: "Create a new client secret",
    details: "Prints the secret once. The previous one stays valid for the overlap.",
    examples: ["--app <id>", "--app <id> --overlap-hours 0"]
  })
)

export const apps = group("apps", "Manage apps, their prices and webhooks").pipe(
  Command.withSubcommands([create, list, rotate, appPlans, webhook])
)
