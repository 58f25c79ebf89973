import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { ApiTest, dataOf, install, makeApp } from "../../support/http/Api.ts"
import { freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"
import { installApp } from "../../support/webhooks/Webhooks.ts"

/** A staff member, and an app that is installed on their store. */
const scene = Effect.gen(function* () {
  const { storeId } = yield* freshMember()
  const { client } = yield* memberOf(storeId, "staff")
  const appId = yield* makeApp()
  const { client: app, installation } = yield* installApp(storeId, appId, ["read_products", "write_products"])
  const target = { storeId, id: installation.id }
  return {
    client,
    storeId,
    appId,
    app,
    installation,
    target,
    newRequest: () => ({ ...target, idempotencyKey: newKey() })
  }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Installations", (it) => {
  it.effect("installations are listed in pages with their grants, and those of other stores are not found", () =>
    Effect.gen(function* () {
      const { appId, client, installation, target, storeId } = yield* scene
      const { installation: second } = yield* install(storeId)
      const one = yield* client.installations.get(target)
      assert.match(one.installedAt, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const { installedAt: _, ...rest } = one
      assert.deepStrictEqual(rest, {
        id: installation.id,
        appId,
        appName: "An app",
        scopes: ["read_products", "write_products"],
        capabilities: ALL_GRANTS.capabilities,
        state: "active"
      })
      const first = yield* client.installations.list({ storeId, limit: 1 })
      assert.deepStrictEqual(first, { items: [one], nextCursor: one.id })
      const last = yield* client.installations.list({ storeId, limit: 1, cursor: one.id })
      assert.deepStrictEqual([last.items.map(({ id }) => id), last.nextCursor], [[second.id], null])

      const stranger = yield* scene
      const foreignRequest = { ...stranger.newRequest(), storeId }
      const { get, resume, suspend, uninstall } = client.installations
      const calls = [
        get({ storeId, id: foreignRequest.id }),
        suspend(foreignRequest),
        resume(foreignRequest),
        Effect.asVoid(uninstall(foreignRequest))
      ]
      for (const call of calls.map(Effect.asVoid)) {
        assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
      }
      assert.strictEqual((yield* stranger.client.installations.get(stranger.target)).state, "active")
      assert.strictEqual((yield* stranger.app.get("/products")).status, 200)
    })
  )

  it.effect("a suspended installation gets 403 on every later request until it is resumed", () =>
    Effect.gen(function* () {
      const { app, newRequest, client, target } = yield* scene
      const concurrentRequests = yield* Effect.forkScoped(
        Effect.forEach(
          Array.from({ length: 40 }, (_, n) => n),
          () => app.get("/products?limit=1"),
          { concurrency: 8 }
        )
      )
      const suspension = newRequest()
      const suspended = yield* client.installations.suspend(suspension)
      assert.strictEqual(suspended.state, "suspended")
      const after = yield* Effect.replicateEffect(app.get("/products"), 8, { concurrency: "unbounded" })
      for (const { status } of after) assert.strictEqual(status, 403)
      for (const { status } of yield* Fiber.join(concurrentRequests)) assert.include([200, 403], status)

      assert.strictEqual((yield* client.installations.resume(newRequest())).state, "active")
      assert.strictEqual((yield* app.get("/products")).status, 200)
      // A retry of the suspension does not undo the resumption.
      assert.deepStrictEqual(yield* client.installations.suspend(suspension), suspended)
      assert.strictEqual((yield* client.installations.get(target)).state, "active")
      assert.strictEqual((yield* app.get("/products")).status, 200)
    })
  )

  it.effect("an uninstalled app loses access and is not found, and a reinstall reuses its id but not its tokens", () =>
    Effect.gen(function* () {
      const { appId, app, newRequest, client, installation, target, storeId } = yield* scene
      const sql = yield* SqlClient.SqlClient
      const operators = yield* Installations
      const { id } = installation
      const uninstallation = newRequest()
      assert.deepStrictEqual(yield* client.installations.uninstall(uninstallation), { id, deleted: true })
      assert.deepStrictEqual(yield* client.installations.uninstall(uninstallation), { id, deleted: true })
      assert.strictEqual((yield* app.get("/products")).status, 401)
      assert.lengthOf(yield* sql`select from access_tokens where installation_id = ${id}`, 0)

      const callsAfterUninstall = [
        Effect.asVoid(client.installations.get(target)),
        Effect.asVoid(client.installations.uninstall(newRequest())),
        Effect.asVoid(client.installations.suspend(newRequest())),
        Effect.asVoid(client.installations.resume(newRequest()))
      ]
      for (const call of callsAfterUninstall)
        assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
      assert.strictEqual((yield* Effect.flip(operators.find(id)))._tag, "InstallationNotFound")
      assert.deepStrictEqual(yield* client.installations.list({ storeId }), { items: [], nextCursor: null })

      const again = yield* installApp(storeId, appId, ["read_products"])
      assert.strictEqual(again.installation.id, id)
      assert.strictEqual((yield* app.get("/products")).status, 401)
      assert.strictEqual((yield* again.client.get("/products")).status, 200)
      const [{ hits = [] } = {}] = yield* sql<{ readonly hits: ReadonlyArray<string> }>`
        select hits from rate_windows where installation_id = ${id}
      `
      assert.lengthOf(hits, 1)
      assert.deepInclude(yield* client.installations.get(target), { state: "active", scopes: ["read_products"] })
    })
  )

  it.effect("a reinstall keeps the rate window and the app data of the installation", () =>
    Effect.gen(function* () {
      const { appId, app, newRequest, client, storeId } = yield* scene
      yield* app.put("/app-data/settings", { key: "theme", value: "dark" })
      for (let n = 0; n < 99; n++) assert.strictEqual((yield* app.get("/store")).status, 200)
      yield* client.installations.uninstall(newRequest())
      const again = yield* installApp(storeId, appId)
      assert.strictEqual((yield* again.client.get("/store")).status, 429)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update rate_windows set hits = '{}' where store_id = ${storeId}`
      assert.deepInclude(dataOf(yield* again.client.get("/app-data/settings?key=theme")), { value: "dark" })
    })
  )
})
