import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { IMPORTER } from "../../src/domain/Actor.ts"
import { app, cli, factsOf, Installed, store } from "../support/process/Cli.ts"
import { ownDatabase, rowsOf } from "../support/process/Process.ts"

const words = (text: string) => text.split(" ")

it.live("changes by operators are in the store's journal, attributed to the importer", () =>
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    const { storeId } = yield* store(url)
    const { appId } = yield* app(url, "read_products", "read_orders")
    const done = (command: string) =>
      Effect.map(cli(url, ...words(command)), ({ code, stderr }) => assert.deepStrictEqual([code, stderr], [0, ""]))
    const install = `installations create --store ${storeId} --app ${appId} --scope read_products`
    const { installationId } = yield* factsOf(Installed, url, ...words(install))
    yield* done(`${install} --scope read_orders`)
    yield* done(`stores set-plan ${storeId} --plan starter`)
    yield* done(`installations suspend ${installationId}`)
    const Made = Schema.Struct({
      merchantId: Schema.String.check(Schema.isUUID()),
      email: Schema.String,
      password: Schema.String
    })
    const { merchantId } = yield* factsOf(Made, url, ...words("merchants create --email ada@example.com --name Ada"))
    yield* done(`merchants join --email ada@example.com --store ${storeId}`)

    const told = yield* rowsOf(
      client,
      `select resource, before::json as before, after::json as after from journal
       where store_id = $1 and surface = 'cli' and actor_type = 'merchant' and actor_id = $2 order by id`,
      [storeId, IMPORTER]
    )
    const resource = "installation"
    const whole = { id: installationId, appId, appName: "App", state: "active" }
    assert.lengthOf(told, 5)
    assert.containSubset(told, [
      { resource, before: null, after: { ...whole, scopes: ["read_products"] } },
      { resource, before: { scopes: ["read_products"] }, after: { scopes: ["read_orders", "read_products"] } },
      { resource: "settings", before: { plan: { name: "free" } }, after: { plan: { name: "starter" } } },
      { resource, before: { state: "active" }, after: { state: "suspended" } },
      { resource: "member", before: null, after: { merchantId, name: "Ada", role: "owner" } }
    ])
    assert.lengthOf(yield* rowsOf(client, "select from journal"), 5)
  })
)
