import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { makeClient } from "../support/http/Api.ts"
import { createApp, cli, jsonOutput, Installed, createStore } from "../support/process/Cli.ts"
import { makeMigratedDatabase, startServer } from "../support/process/Process.ts"

const Uninstalled = Schema.Struct({
  installationId: Schema.String.check(Schema.isUUID()),
  state: Schema.Literal("uninstalled")
})
const List = Schema.Struct({ installations: Schema.Array(Schema.Unknown) })

it.live("tokens of an uninstalled installation get 401 immediately in every process, also after a reinstall", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { storeId } = yield* createStore(url)
    const { appId } = yield* createApp(url, "read_products")
    const create = ["installations", "create", "--store", storeId, "--app", appId, "--scope", "read_products"]
    const { accessToken, installationId } = yield* jsonOutput(Installed, url, ...create)
    const servers = [yield* startServer({ DATABASE_URL: url }), yield* startServer({ DATABASE_URL: url })]
    const clients = servers.map(({ base }) => makeClient(base, accessToken))
    const requests = yield* Effect.forkChild(
      Effect.forEach([...clients, ...clients], (client) => Effect.replicateEffect(client.get("/products"), 15), {
        concurrency: "unbounded"
      })
    )
    yield* jsonOutput(Uninstalled, url, "installations", "uninstall", installationId)
    for (const client of clients) assert.strictEqual((yield* client.get("/products")).status, 401)
    for (const { status } of (yield* Fiber.join(requests)).flat()) assert.include([200, 401], status)

    assert.deepStrictEqual(
      (yield* jsonOutput(List, url, "installations", "list", "--store", storeId)).installations,
      []
    )
    for (const command of ["suspend", "resume", "uninstall", "token"]) {
      const { code, stderr } = yield* cli(url, "installations", command, installationId)
      assert.strictEqual(code, 1)
      assert.match(stderr, /Installation \S+ was not found or is uninstalled; check the id/)
    }

    const reinstalled = yield* jsonOutput(Installed, url, ...create)
    assert.strictEqual(reinstalled.installationId, installationId)
    for (const client of clients) assert.strictEqual((yield* client.get("/products")).status, 401)
    for (const { base } of servers) {
      assert.strictEqual((yield* makeClient(base, reinstalled.accessToken).get("/products")).status, 200)
    }
  })
)
