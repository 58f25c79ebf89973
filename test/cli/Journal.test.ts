import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { IMPORTER } from "../../src/domain/Actor.ts"
import { createApp, cli, jsonOutput, Installed, createStore } from "../support/process/Cli.ts"
import { makeMigratedDatabase, rowsOf } from "../support/process/Process.ts"

const argumentsOf = (text: string) => text.split(" ")

it.live("changes by CLI commands are journaled with surface cli and the importer as actor", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const { storeId } = yield* createStore(url)
    const { appId } = yield* createApp(url, "read_products", "read_orders")
    const run = (command: string) =>
      Effect.map(cli(url, ...argumentsOf(command)), ({ code, stderr }) =>
        assert.deepStrictEqual([code, stderr], [0, ""])
      )
    const install = `installations create --store ${storeId} --app ${appId} --scope read_products`
    const { installationId } = yield* jsonOutput(Installed, url, ...argumentsOf(install))
    yield* run(`${install} --scope read_orders`)
    yield* run(`stores set-plan ${storeId} --plan starter`)
    yield* run(`installations suspend ${installationId}`)
    const Created = Schema.Struct({
      merchantId: Schema.String.check(Schema.isUUID()),
      email: Schema.String,
      password: Schema.String
    })
    const { merchantId } = yield* jsonOutput(
      Created,
      url,
      ...argumentsOf("merchants create --email ada@example.com --name Ada")
    )
    yield* run(`merchants join --email ada@example.com --store ${storeId}`)

    const entries = yield* rowsOf(
      client,
      `select resource, before::json as before, after::json as after from journal
       where store_id = $1 and surface = 'cli' and actor_type = 'merchant' and actor_id = $2 order by id`,
      [storeId, IMPORTER]
    )
    const resource = "installation"
    const installation = { id: installationId, appId, appName: "App", state: "active" }
    assert.lengthOf(entries, 5)
    assert.containSubset(entries, [
      { resource, before: null, after: { ...installation, scopes: ["read_products"] } },
      { resource, before: { scopes: ["read_products"] }, after: { scopes: ["read_orders", "read_products"] } },
      { resource: "settings", before: { plan: { name: "free" } }, after: { plan: { name: "starter" } } },
      { resource, before: { state: "active" }, after: { state: "suspended" } },
      { resource: "member", before: null, after: { merchantId, name: "Ada", role: "owner" } }
    ])
    assert.lengthOf(yield* rowsOf(client, "select from journal"), 5)
  })
)
