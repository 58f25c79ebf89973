#!/usr/bin/env node
import { Args, CliConfig, Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Console, DateTime, Effect, Layer, ParseResult, Redacted, Schema } from "effect"
import packageJson from "../package.json" with { type: "json" }
import { CurrencyCode } from "./domain/catalog/Fields.ts"
import { AppId, InstallationId, Scope } from "./domain/Installation.ts"
import { Installations } from "./domain/Installations.ts"
import { StoreId } from "./domain/Store.ts"
import { DatabaseLive } from "./layers/Database.ts"
import { InstallationsLive } from "./layers/Installations.ts"
import { exitOnFailure } from "./Startup.ts"

const json = Options.boolean("json").pipe(Options.withDescription("Print JSON, for programs"))

/** Prints a result for a program or for a person: the same facts, a line each. */
const print = (asJson: boolean, facts: Record<string, unknown>) =>
  Console.log(
    asJson
      ? JSON.stringify(facts)
      : Object.entries(facts)
          .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(" ") : String(value)}`)
          .join("\n")
  )

const Live = InstallationsLive.pipe(Layer.provideMerge(DatabaseLive))

const scopes = Options.choice("scope", Scope.literals).pipe(
  Options.withDescription("A scope; give it once for each"),
  Options.atLeast(1)
)

/** Reads a value by its schema, and refuses it in the schema's words, with the name of what was given. */
const readAs = <A>(name: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decode(schema)
  return (text: string) =>
    Effect.mapError(decode(text), (error) => {
      const reasons = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message }) => message)
      return HelpDoc.p(`${name}: ${reasons.join("; ")}`)
    })
}

const option = <A>(name: string, schema: Schema.Schema<A, string>, description: string) => {
  const read = readAs(`--${name}`, schema)
  return Options.text(name).pipe(
    Options.mapEffect((text) => Effect.mapError(read(text), ValidationError.invalidValue)),
    Options.withDescription(description)
  )
}

const Name = Schema.Trim.pipe(Schema.nonEmptyString({ message: () => "must not be empty" }))

const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.zipRight(Effect.scoped(Layer.build(DatabaseLive)), print(json, { migrated: true }))
).pipe(Command.withDescription("Bring the database to the newest schema"))

const listPlans = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { listPlans } = yield* Installations
    const plans = yield* listPlans
    yield* json
      ? Console.log(JSON.stringify({ plans }))
      : Console.log(plans.map(({ name, productLimit }) => `${name}: ${productLimit} products`).join("\n"))
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Every plan and how many products it allows"))

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

const createApp = Command.make(
  "create",
  { name: option("name", Name, "What it is called"), scopes, json },
  ({ json, name, scopes }) =>
    Effect.gen(function* () {
      const { createApp } = yield* Installations
      yield* print(json, { appId: yield* createApp({ name, scopes }) })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Make an app that may ask for the given scopes"))

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

const group = (name: string, description: string) => Command.make(name).pipe(Command.withDescription(description))

const cli = Command.make("partner-api").pipe(
  Command.withDescription("Operates the Partner API on DATABASE_URL, or on the embedded database under DATA_DIR"),
  Command.withSubcommands([
    migrate,
    group("plans", "What stores may hold").pipe(Command.withSubcommands([listPlans])),
    group("stores", "Stores").pipe(Command.withSubcommands([createStore])),
    group("apps", "Apps").pipe(Command.withSubcommands([createApp])),
    group("installations", "Apps on stores").pipe(Command.withSubcommands([createInstallation, deactivate]))
  ])
)

const run = Command.run(cli, { name: "Partner API", version: packageJson.version })

/** What was typed wrong, in the one line that every failure gets and not as the document the framework prints. */
const inOneLine = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Console.consoleWith((console) =>
    Effect.withConsole(program, { ...console, error: () => Effect.void }).pipe(
      Effect.mapError((error) =>
        ValidationError.isValidationError(error) ? { message: HelpDoc.toAnsiText(error.error) } : error
      )
    )
  )

NodeRuntime.runMain(
  exitOnFailure(
    Effect.provide(
      inOneLine(run(process.argv)),
      Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false }))
    )
  ),
  { disableErrorReporting: true }
)
