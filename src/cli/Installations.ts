import { Args, Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { DateTime, Effect, Option, Redacted } from "effect"
import { AppId, type Installation, InstallationId } from "../domain/Installation.ts"
import { Installations } from "../domain/Installations.ts"
import { StoreId } from "../domain/Store.ts"
import { group, json, limit, Live, option, print, printAll, readAs, scopes } from "./Frame.ts"

const store = option("store", StoreId, "The store's id")

const app = option("app", AppId, "The app's id")

const installation = Args.text({ name: "installation" }).pipe(
  Args.withDescription("The installation's id"),
  Args.mapEffect(readAs("installation", InstallationId))
)

/** Prints an installation with a new access token of it. */
const printToken = Effect.fnUntraced(function* (asJson: boolean, installation: Installation) {
  const { issueToken } = yield* Installations
  const { expiresAt, token } = yield* issueToken(installation)
  yield* print(asJson, {
    installationId: installation.id,
    storeId: installation.storeId,
    scopes: installation.scopes,
    accessToken: Redacted.value(token),
    accessTokenExpiresAt: DateTime.formatIso(expiresAt)
  })
})

const create = Command.make("create", { store, app, scopes, json }, ({ app, json, scopes, store }) =>
  Effect.gen(function* () {
    const { install } = yield* Installations
    yield* printToken(json, yield* install({ storeId: store, appId: app, scopes }))
  }).pipe(Effect.provide(Live))
).pipe(
  Command.withDescription(
    "Install an app on a store, or give it other scopes; prints an access token, good for an hour"
  )
)

const list = Command.make(
  "list",
  { store: Options.optional(store), app: Options.optional(app), limit, json },
  ({ app, json, limit, store }) =>
    Effect.gen(function* () {
      const { listInstallations } = yield* Installations
      if (Option.isNone(store) && Option.isNone(app)) {
        return yield* Effect.fail(ValidationError.invalidValue(HelpDoc.p("Give --store, --app or both")))
      }
      yield* printAll(json, "installations", yield* listInstallations({ storeId: store, appId: app, limit }))
    }).pipe(Effect.provide(Live))
).pipe(
  Command.withDescription("The newest installations of a store or an app: their scopes, and whether they are active")
)

const token = Command.make("token", { installation, json }, ({ installation, json }) =>
  Effect.gen(function* () {
    const { findActive } = yield* Installations
    yield* printToken(json, yield* findActive(installation))
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Print another access token, good for an hour; those before it stay good"))

const revoke = Command.make("revoke", { installation, json }, ({ installation, json }) =>
  Effect.gen(function* () {
    const { revokeTokens } = yield* Installations
    yield* print(json, { installationId: installation, revoked: yield* revokeTokens(installation) })
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("End every access token of an installation at once"))

const deactivate = Command.make("deactivate", { installation, json }, ({ installation, json }) =>
  Effect.gen(function* () {
    const { deactivate } = yield* Installations
    yield* deactivate(installation)
    yield* print(json, { installationId: installation, active: false })
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Refuse every request of an installation from now on"))

const activate = Command.make("activate", { installation, json }, ({ installation, json }) =>
  Effect.gen(function* () {
    const { activate } = yield* Installations
    yield* activate(installation)
    yield* print(json, { installationId: installation, active: true })
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Admit a deactivated installation again, with the tokens it has"))

export const installations = group("installations", "Apps on stores").pipe(
  Command.withSubcommands([create, list, token, revoke, deactivate, activate])
)
