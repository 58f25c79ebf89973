import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Plan } from "../../src/domain/access/Stores.ts"
import { dataOf, errorOf, makeClient, pageOf } from "../support/http/Api.ts"
import { createApp, AppMade, cli, jsonOutput, Installed, createStore, StoreMade } from "../support/process/Cli.ts"
import { makeEmptyDatabase, makeMigratedDatabase, rowsOf, startServer } from "../support/process/Process.ts"

const argumentsOf = (text: string) => text.split(" ")

const Id = Schema.String.check(Schema.isUUID())

it.live("migrate creates the schema in an empty database, and a second run changes nothing", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeEmptyDatabase
    const Migrated = Schema.Struct({ migrated: Schema.Literal(true) })
    const tables = rowsOf(client, "select oid::int, relname from pg_class where relkind = 'r' order by oid")
    yield* jsonOutput(Migrated, url, "migrate")
    const created = yield* tables
    yield* jsonOutput(Migrated, url, "migrate")
    assert.deepStrictEqual(yield* tables, created)
    assert.include(
      created.map(({ relname }) => relname),
      "products"
    )
  })
)

it.live("the printed token reads and writes the new store until the installation is suspended", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { storeId } = yield* createStore(url)
    const { appId } = yield* createApp(url, "read_products", "write_products", "read_collections")
    const install = ["installations", "create", "--store", storeId, "--app", appId]
    const installed = yield* jsonOutput(
      Installed,
      url,
      ...install,
      "--scope",
      "read_products",
      "--scope",
      "write_products"
    )
    assert.strictEqual(installed.storeId, storeId)
    assert.deepStrictEqual(installed.scopes, ["read_products", "write_products"])
    assert.approximately(installed.accessTokenExpiresAt.epochMilliseconds, Date.now() + 3_600_000, 60_000)

    const { base } = yield* startServer({ DATABASE_URL: url })
    const client = makeClient(base, installed.accessToken)
    const created = yield* client.post("/products", { name: "Cup" })
    assert.strictEqual(created.status, 201)
    assert.strictEqual(dataOf(created)["currencyCode"], "CHF")
    assert.lengthOf(pageOf(yield* client.get("/products")).items, 1)
    assert.strictEqual((yield* client.get("/collections")).status, 403)

    const Suspended = Schema.Struct({ installationId: Id, state: Schema.Literal("suspended") })
    const { installationId } = yield* jsonOutput(Suspended, url, "installations", "suspend", installed.installationId)
    assert.strictEqual(installationId, installed.installationId)
    const refused = yield* client.get("/products")
    assert.strictEqual(refused.status, 403)
    assert.deepStrictEqual(errorOf(refused), {
      error: "The installation is suspended; a member of the store can resume it"
    })
  })
)

it.live("a store has the plan and settings that it was created with", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    yield* createStore(url, "growth")
    const settings = "--domain Tea.example --timezone Europe/Zurich --locale de-ch --country ch --weight-unit g"
    const create = argumentsOf(`stores create --name Tea --plan free --currency CHF ${settings}`)
    yield* jsonOutput(StoreMade, url, ...create)
    const rows = yield* rowsOf(
      client,
      "select name, plan, currency_code, domain, timezone, locale, country, weight_unit from stores order by id"
    )
    const defaults = { domain: null, timezone: "UTC", locale: "en", country: null, weight_unit: "kg" }
    const custom = {
      domain: "tea.example",
      timezone: "Europe/Zurich",
      locale: "de-CH",
      country: "CH",
      weight_unit: "g"
    }
    assert.deepStrictEqual(rows, [
      { name: "Shop", plan: "growth", currency_code: "CHF", ...defaults },
      { name: "Tea", plan: "free", currency_code: "CHF", ...custom }
    ])
  })
)

it.live("plans list prints all plans with their limits, as a table and as JSON", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const Plans = Schema.Struct({
      plans: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          productLimit: Schema.Int,
          collectionLimit: Schema.Int,
          mediaLimit: Schema.Int
        })
      )
    })
    const { plans } = yield* jsonOutput(Plans, url, "plans", "list")
    assert.deepStrictEqual(
      plans.map(({ collectionLimit, mediaLimit, name, productLimit }) => [
        name,
        productLimit,
        collectionLimit,
        mediaLimit
      ]),
      [
        ["free", 100, 50, 200 * 1024 ** 2],
        ["starter", 1000, 500, 1024 ** 3],
        ["growth", 10_000, 2000, 10 * 1024 ** 3],
        ["scale", 100_000, 10_000, 100 * 1024 ** 3]
      ]
    )
    const { code, stdout } = yield* cli(url, "plans", "list")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(stdout.split("\n"), [
      "NAME     PRODUCT LIMIT  COLLECTION LIMIT   MEDIA LIMIT",
      "free               100                50     209715200",
      "starter           1000               500    1073741824",
      "growth           10000              2000   10737418240",
      "scale           100000             10000  107374182400",
      ""
    ])
  })
)

it.live("without --json a record is printed with one field per line", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const created = yield* cli(url, "stores", "create", "--name", "Shop", "--plan", "free", "--currency", "EUR")
    assert.deepStrictEqual({ code: created.code, stderr: created.stderr }, { code: 0, stderr: "" })
    const [, storeId = ""] = /^storeId: (\S+)\n$/.exec(created.stdout) ?? []
    const { appId } = yield* createApp(url, "read_products")
    const options = ["--store", storeId, "--app", appId, "--scope", "read_products"]
    const { stdout } = yield* cli(url, "installations", "create", ...options)
    const names = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(": ")[0])
    assert.deepStrictEqual(names, ["installationId", "storeId", "scopes", "accessToken", "accessTokenExpiresAt"])
  })
)

const Stores = Schema.Struct({
  stores: Schema.Array(
    Schema.Struct({
      storeId: Id,
      name: Schema.String,
      plan: Schema.String,
      currencyCode: Schema.String,
      products: Schema.Int,
      collections: Schema.Int,
      installations: Schema.Int,
      createdAt: Schema.DateFromString
    })
  )
})
const Apps = Schema.Struct({
  apps: Schema.Array(
    Schema.Struct({
      appId: Id,
      name: Schema.String,
      scopes: Schema.Array(Schema.String),
      capabilities: Schema.Array(Schema.String),
      installations: Schema.Int,
      createdAt: Schema.DateFromString
    })
  )
})
const Listed = Schema.Struct({
  installations: Schema.Array(
    Schema.Struct({
      installationId: Id,
      storeId: Id,
      appId: Id,
      scopes: Schema.Array(Schema.String),
      capabilities: Schema.Array(Schema.String),
      state: Schema.String,
      createdAt: Schema.DateFromString
    })
  )
})

it.live("plans, stores, apps, installations and tokens can be created, listed and changed", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { storeId } = yield* createStore(url)
    const grants = "--scope read_products --capability app_storage --capability customer_pii"
    const { appId } = yield* jsonOutput(AppMade, url, ...argumentsOf(`apps create --name App ${grants}`))
    const install = argumentsOf(`installations create --store ${storeId} --app ${appId} --scope read_products`)
    const { accessToken, installationId } = yield* jsonOutput(Installed, url, ...install)
    const updated = yield* jsonOutput(Installed, url, ...install, "--capability", "app_storage")
    assert.deepInclude(updated, { installationId, capabilities: ["app_storage"] })

    const tiny = argumentsOf("plans create --name tiny --products 1 --collections 2")
    yield* jsonOutput(Schema.Struct({ ...Plan.fields }), url, ...tiny)
    const PlanSet = Schema.Struct({ storeId: Id, plan: Schema.Literal("tiny") })
    yield* jsonOutput(PlanSet, url, "stores", "set-plan", storeId, "--plan", "tiny")
    const { stores } = yield* jsonOutput(Stores, url, "stores", "list")
    assert.deepInclude(stores[0], { storeId, plan: "tiny", products: 0, collections: 0, installations: 1 })
    const { apps } = yield* jsonOutput(Apps, url, "apps", "list")
    const capabilities = ["app_storage", "customer_pii"]
    assert.deepInclude(apps[0], { appId, scopes: ["read_products"], capabilities, installations: 1 })

    const { base } = yield* startServer({ DATABASE_URL: url })
    const statusOf = (token: string) => Effect.map(makeClient(base, token).get("/products"), ({ status }) => status)
    const State = Schema.Struct({ installationId: Id, state: Schema.String })
    const on = <A, I>(schema: Schema.Codec<A, I>, command: string) =>
      jsonOutput(schema, url, "installations", command, installationId)
    yield* on(State, "suspend")
    const { installations } = yield* jsonOutput(Listed, url, "installations", "list", "--store", storeId)
    const granted = { scopes: ["read_products"], capabilities: ["app_storage"] }
    assert.deepInclude(installations[0], { installationId, appId, ...granted, state: "suspended" })
    const { stderr } = yield* cli(url, "installations", "token", installationId)
    assert.match(stderr, /is suspended; a member of the store can resume it/)
    assert.strictEqual((yield* on(State, "resume")).state, "active")
    assert.strictEqual(yield* statusOf(accessToken), 200)
    const second = yield* on(Installed, "token")
    assert.strictEqual(yield* statusOf(second.accessToken), 200)
    const Revoked = Schema.Struct({ installationId: Id, revoked: Schema.Int })
    assert.strictEqual((yield* on(Revoked, "revoke")).revoked, 3)
    for (const token of [accessToken, second.accessToken]) assert.strictEqual(yield* statusOf(token), 401)

    const renewed = yield* on(Installed, "token")
    const Deleted = Schema.Struct({ storeId: Id, deleted: Schema.Literal(true) })
    yield* jsonOutput(Deleted, url, "stores", "delete", storeId)
    assert.strictEqual(yield* statusOf(renewed.accessToken), 404)
    assert.deepStrictEqual((yield* jsonOutput(Stores, url, "stores", "list")).stores, [])
  })
)
