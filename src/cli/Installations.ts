import { Command, Options } from "@effect/cli"
import { DateTime, Effect, Option, Redacted } from "effect"
import { type Installation, InstallationId, Installations } from "../domain/access/Installations.ts"
import { Tokens } from "../domain/access/Tokens.ts"
import { StoreId } from "../domain/Store.ts"
import {
  app,
  argument,
  capabilities,
  command,
  group,
  json,
  limit,
  misused,
  option,
  print,
  printAll,
  scopes
} from "./Frame.ts"

const store = option("store", StoreId, "The store's id")

const installation = argument("installation", InstallationId, "The installation's id")

/** Prints an installation with a new access token of it. */
const printToken = Effect.fnUntraced(function* (asJson: boolean, installation: Installation) {
  const tokens = yield* Tokens
  const { expiresAt, token } = yield* tokens.issue(installation)
  yield* print(asJson, {
    installationId: installation.id,
    storeId: installation.storeId,
    scopes: installation.scopes,
    capabilities: installation.capabilities,
    accessToken: Redacted.value(token),
    accessTokenExpiresAt: DateTime.formatIso(expiresAt)
  })
})

const create = command(
  "create",
  { store, app, scopes, capabilities, json },
  function* ({ app, capabilities, json, scopes, store }) {
    const installations = yield* Installations
    yield* printToken(json, yield* installations.install({ storeId: store, appId: app, scopes, capabilities }))
  }
).pipe(
  Command.withDescription(
    "Install an app on a store, or give it other scopes and capabilities; prints an access token, good for an hour"
  )
)

const list = command(
  "list",
  { store: Options.optional(store), app: Options.optional(app), limit, json },
  function* ({ app, json, limit, store }) {
    const installations = yield* Installations
    if (Option.isNone(store) && Option.isNone(app)) return yield* misused("Give --store, --app or both")
    yield* printAll(json, "installations", yield* installations.list({ storeId: store, appId: app, limit }))
  }
).pipe(
  Command.withDescription(
    "The newest installations of a store or an app: what they are granted, and whether they are active"
  )
)

const token = command("token", { installation, json }, function* ({ installation, json }) {
  const installations = yield* Installations
  yield* printToken(json, yield* installations.findActive(installation))
}).pipe(Command.withDescription("Print another access token, good for an hour; those before it stay good"))

const revoke = command("revoke", { installation, json }, function* ({ installation, json }) {
  const tokens = yield* Tokens
  yield* print(json, { installationId: installation, revoked: yield* tokens.revoke(installation) })
}).pipe(Command.withDescription("End every access token of an installation at once"))

const deactivate = command("deactivate", { installation, json }, function* ({ installation, json }) {
  const installations = yield* Installations
  yield* installations.deactivate(installation)
  yield* print(json, { installationId: installation, active: false })
}).pipe(Command.withDescription("Refuse every request of an installation from now on"))

const activate = command("activate", { installation, json }, function* ({ installation, json }) {
  const installations = yield* Installations
  yield* installations.activate(installation)
  yield* print(json, { installationId: installation, active: true })
}).pipe(Command.withDescription("Admit a deactivated installation again, with the tokens it has"))

export const installations = group("installations", "Apps on stores").pipe(
  Command.withSubcommands([create, list, token, revoke, deactivate, activate])
)
