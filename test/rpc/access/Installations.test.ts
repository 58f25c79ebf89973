import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { ApiTest, dataOf, install, makeApp } from "../../support/http/Api.ts"
import { freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"
import { installApp } from "../../support/webhooks/Webhooks.ts"

/** A member of staff, and an app on their store. */
const scene = Effect.gen(function* () {
  const { storeId } = yield* freshMember()
  const { client } = yield* memberOf(storeId, "staff")
  const appId = yield* makeApp()
  const { client: app, installation } = yield* installApp(storeId, appId, ["read_products", "write_products"])
  const named = { storeId, id: installation.id }
  return { client, storeId, appId, app, installation, named, asked: () => ({ ...named, idempotencyKey: newKey() }) }
})

layer(ApiTest)("installations", (it) => {
  it.effect("are listed in pages, with what they are granted, and no other store's", () =>
    Effect.gen(function* () {
      const { appId, client, installation, named, storeId } = yield* scene
      const { installation: second } = yield* install(storeId)
      const one = yield* client.installations.get(named)
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
      const foreign = { ...stranger.asked(), storeId }
      const { get, resume, suspend, uninstall } = client.installations
      const calls = [
        get({ storeId, id: foreign.id }),
        suspend(foreign),
        resume(foreign),
        Effect.asVoid(uninstall(foreign))
      ]
      for (const call of calls.map(Effect.asVoid)) {
        assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
      }
      assert.strictEqual((yield* stranger.client.installations.get(stranger.named)).state, "active")
      assert.strictEqual((yield* stranger.app.get("/products")).status, 200)
    })
  )

  it.effect(
    "that are suspended are refused from then on, none admitted after it, and go on when they are resumed",
    () =>
      Effect.gen(function* () {
        const { app, asked, client, named } = yield* scene
        const others = yield* Effect.forkScoped(
          Effect.forEach(
            Array.from({ length: 40 }, (_, n) => n),
            () => app.get("/products?limit=1"),
            { concurrency: 8 }
          )
        )
        const suspension = asked()
        const suspended = yield* client.installations.suspend(suspension)
        assert.strictEqual(suspended.state, "suspended")
        const after = yield* Effect.replicateEffect(app.get("/products"), 8, { concurrency: "unbounded" })
        for (const { status } of after) assert.strictEqual(status, 403)
        for (const { status } of yield* Fiber.join(others)) assert.include([200, 403], status)

        assert.strictEqual((yield* client.installations.resume(asked())).state, "active")
        assert.strictEqual((yield* app.get("/products")).status, 200)
        // A retry of what was done before does nothing to what has come since.
        assert.deepStrictEqual(yield* client.installations.suspend(suspension), suspended)
        assert.strictEqual((yield* client.installations.get(named)).state, "active")
        assert.strictEqual((yield* app.get("/products")).status, 200)
      })
  )

  it.effect("that are uninstalled are gone: for their app, for the members, for operators", () =>
    Effect.gen(function* () {
      const { appId, app, asked, client, installation, named, storeId } = yield* scene
      const sql = yield* SqlClient.SqlClient
      const operators = yield* Installations
      const { id } = installation
      const ending = asked()
      assert.deepStrictEqual(yield* client.installations.uninstall(ending), { id, deleted: true })
      assert.deepStrictEqual(yield* client.installations.uninstall(ending), { id, deleted: true })
      assert.strictEqual((yield* app.get("/products")).status, 401)
      assert.lengthOf(yield* sql`select from access_tokens where installation_id = ${id}`, 0)

      const gone = [
        Effect.asVoid(client.installations.get(named)),
        Effect.asVoid(client.installations.uninstall(asked())),
        Effect.asVoid(client.installations.suspend(asked())),
        Effect.asVoid(client.installations.resume(asked()))
      ]
      for (const call of gone) assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
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
      assert.deepInclude(yield* client.installations.get(named), { state: "active", scopes: ["read_products"] })
    })
  )

  it.effect("keep their window and their app data over an uninstall, for who installs the app again", () =>
    Effect.gen(function* () {
      const { appId, app, asked, client, storeId } = yield* scene
      yield* app.put("/app-data/settings", { key: "theme", value: "dark" })
      for (let n = 0; n < 99; n++) assert.strictEqual((yield* app.get("/store")).status, 200)
      yield* client.installations.uninstall(asked())
      const again = yield* installApp(storeId, appId)
      assert.strictEqual((yield* again.client.get("/store")).status, 429)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update rate_windows set hits = '{}' where store_id = ${storeId}`
      assert.deepInclude(dataOf(yield* again.client.get("/app-data/settings?key=theme")), { value: "dark" })
    })
  )
})
