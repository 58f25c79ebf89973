import { Args, Command, Options } from "@effect/cli"
import { Console, DateTime, Effect, Layer, Redacted } from "effect"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { AppId, InstallationId } from "../domain/Installation.ts"
import { Installations } from "../domain/Installations.ts"
import { StoreId } from "../domain/Store.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { group, json, Live, Name, option, print, readAs, scopes } from "./Frame.ts"

export const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.zipRight(Effect.scoped(Layer.build(DatabaseLive)), print(json, { migrated: true }))
).pipe(Command.withDescription("Bring the database to the newest schema"))

const listPlans = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { listPlans } = yield* Installations
    const plans = yield* listPlans
    yield* json
      ? Console.log(JSON.stringify({ plans }))
      : Console.log(
          plans
            .map(
              ({ collectionLimit, name, productLimit }) =>
                `${name}: ${productLimit} products, ${collectionLimit} collections`
            )
            .join("\n")
        )
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Every plan and how many products and collections it allows"))

const createStore = Command.make(
  "create",
  {
    name: option("name", Name, "What it is called"),
    plan: Options.text("plan").pipe(Options.withDescription("See: plans list")),
    currency: option("currency", CurrencyCode, "The currency of its prices, as in EUR"),
    json
  },
  ({ currency, json, name, plan }) =>
    Effect.gen(function* () {
      const { createStore } = yield* Installations
      yield* print(json, { storeId: yield* createStore({ name, plan, currencyCode: currency }) })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Make a store"))

const createInstallation = Command.make(
  "create",
  {
    storeId: option("store", StoreId, "The store's id"),
    appId: option("app", AppId, "The app's id"),
    scopes,
    json
  },
  ({ appId, json, scopes, storeId }) =>
    Effect.gen(function* () {
      const { install, issueToken } = yield* Installations
      const installation = yield* install({ storeId, appId, scopes })
      const { expiresAt, token } = yield* issueToken(installation)
      yield* print(json, {
        installationId: installation.id,
        storeId,
        scopes,
        accessToken: Redacted.value(token),
        accessTokenExpiresAt: DateTime.formatIso(expiresAt)
      })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Install an app on a store, and print an access token that is good for an hour"))

const deactivate = Command.make(
  "deactivate",
  { id: Args.text({ name: "installation" }).pipe(Args.mapEffect(readAs("installation", InstallationId))), json },
  ({ id, json }) =>
    Effect.gen(function* () {
      const { deactivate } = yield* Installations
      yield* deactivate(id)
      yield* print(json, { installationId: id, active: false })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Refuse every request of an installation from now on"))

export const plans = group("plans", "What stores may hold").pipe(Command.withSubcommands([listPlans]))

export const stores = group("stores", "Stores").pipe(Command.withSubcommands([createStore]))

export const installations = group("installations", "Apps on stores").pipe(
  Command.withSubcommands([createInstallation, deactivate])
)
