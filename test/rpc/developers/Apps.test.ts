import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Apps.ts"
import { AppPatch } from "../../../src/domain/access/Developers.ts"
import { ApiTest, makeStore } from "../../support/http/Api.ts"
import { APP, developer, hashes, hashOf, toApp } from "../../support/rpc/Developers.ts"
import { newKey } from "../../support/rpc/Rpc.ts"
import { installing } from "../../support/data/Writes.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Developers", (it) => {
  it.effect("register an app and see its secret once, whatever is repeated", () =>
    Effect.gen(function* () {
      const { client } = yield* developer
      const asked = { idempotencyKey: newKey(), app: toApp(APP) }
      const { clientSecret, ...app } = yield* client.apps.create(asked)
      assert.match(String(clientSecret), /^app_secret_[\w-]{43}$/)
      assert.deepStrictEqual(yield* hashes(app.id), [hashOf(clientSecret)])
      assert.deepInclude(app, { ...toApp(APP), installations: 0 })
      assert.lengthOf(app.secrets, 1)
      assert.deepStrictEqual(yield* client.apps.create(asked), { ...app, clientSecret: null })
      assert.deepStrictEqual(yield* client.apps.get({ id: app.id }), app)
      assert.deepStrictEqual(yield* client.apps.list({}), { items: [app], nextCursor: null })
      const other = { ...asked, app: toApp({ ...APP, name: "Another" }) }
      assert.strictEqual((yield* Effect.flip(client.apps.create(other)))._tag, "KeyReused")
      const sql = yield* SqlClient.SqlClient
      const records = yield* sql`select body from idempotency_records where body like ${`%${app.id}%`}`
      assert.lengthOf(records, 1)
      assert.notInclude(JSON.stringify(records), "app_secret_")
    })
  )

  it.effect("get one app for one key, however many calls come at once", () =>
    Effect.gen(function* () {
      const { client } = yield* developer
      const asked = { idempotencyKey: newKey(), app: toApp(APP) }
      const made = yield* Effect.all(
        Array.from({ length: 8 }, () => client.apps.create(asked)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(made.map(({ id }) => id)), 1)
      assert.lengthOf(
        made.filter(({ clientSecret }) => clientSecret !== null),
        1
      )
      assert.lengthOf((yield* client.apps.list({})).items, 1)
    })
  )

  it.effect(
    "change what they name of an app, and null clears; a public app has a scheme of its own and no secret",
    () =>
      Effect.gen(function* () {
        const { client, create } = yield* developer
        const { clientSecret: _, ...app } = yield* create()
        const update = (id: AppId, patch: object) =>
          client.apps.update({ idempotencyKey: newKey(), id, patch: Schema.decodeUnknownSync(AppPatch)(patch) })
        assert.deepStrictEqual(yield* update(app.id, {}), app)
        const patch = { name: "Sync", website: null, scopes: ["read_products"] as const, redirectUris: [] }
        assert.deepStrictEqual(yield* update(app.id, patch), { ...app, ...patch })

        const own = "com.example.app:/callback"
        assert.deepInclude(yield* Effect.flip(update(app.id, { redirectUris: [own] })), {
          _tag: "RedirectUriRefused",
          uri: own
        })
        const open = yield* create({ type: "public", redirectUris: [own] })
        assert.deepInclude(open, { clientSecret: null, secrets: [], redirectUris: [own], type: "public" })
        const rotated = yield* Effect.flip(client.apps.rotateSecret({ idempotencyKey: newKey(), id: open.id }))
        assert.strictEqual(rotated._tag, "NoClientSecret")
      })
  )

  it.effect("replace a secret, which goes on for as long as they say beside the new one; two are good at most", () =>
    Effect.gen(function* () {
      const { client, create } = yield* developer
      const { clientSecret: first, id } = yield* create()
      const rotate = (overlapHours?: number) =>
        client.apps.rotateSecret({
          idempotencyKey: newKey(),
          id,
          ...(overlapHours === undefined ? {} : { overlapHours })
        })
      const { clientSecret: second, secrets } = yield* rotate()
      assert.deepStrictEqual(yield* hashes(id), [first, second].map(hashOf))
      const [before, now] = secrets
      assert.approximately(Date.parse(before?.endsAt ?? ""), Date.now() + 24 * 3_600_000, 60_000)
      assert.isNull(now?.endsAt)
      const { clientSecret: third } = yield* rotate(1)
      assert.deepStrictEqual(yield* hashes(id), [second, third].map(hashOf))
      const { clientSecret: fourth } = yield* rotate(0)
      assert.deepStrictEqual(yield* hashes(id), [hashOf(fourth)])
      yield* Effect.all(
        Array.from({ length: 6 }, () => rotate(2)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* hashes(id), 2)
    })
  )

  it.effect("see where an app is installed, and not in whose stores; those of other apps not at all", () =>
    Effect.gen(function* () {
      const { client, create } = yield* developer
      const { install } = yield* installing
      const [app, other] = [yield* create(), yield* create()]
      const stores = [yield* makeStore(), yield* makeStore()]
      const granted = { ...ALL_GRANTS, scopes: ["read_products"] as const, capabilities: [] }
      const made = yield* Effect.forEach(stores, (storeId) => install({ storeId, appId: app.id, ...granted }))
      const page = yield* client.apps.installations({ id: app.id })
      assert.deepStrictEqual(
        page.items.map(({ id }) => id),
        made.map(({ id }) => id)
      )
      for (const storeId of stores) assert.notInclude(JSON.stringify(page), storeId)
      assert.strictEqual((yield* client.apps.get({ id: app.id })).installations, 2)
      const first = yield* client.apps.installations({ id: app.id, limit: 1 })
      assert.strictEqual(first.nextCursor, made[0]?.id ?? null)
      assert.deepStrictEqual((yield* client.apps.installations({ id: other.id })).items, [])

      // What an app now declares less of, its merchants agreed to.
      const patch = Schema.decodeUnknownSync(AppPatch)({ scopes: [] })
      yield* client.apps.update({ idempotencyKey: newKey(), id: app.id, patch })
      const after = yield* client.apps.installations({ id: app.id })
      assert.deepStrictEqual(after, page)
    })
  )

  it.effect(
    "set a webhook and see its secret with the first time alone; it is rotated, and goes to no private address",
    () =>
      Effect.gen(function* () {
        const { client, create } = yield* developer
        const { id } = yield* create()
        const kinds = ["catalog.product.updated.v1"] as const
        const set = (url: string, idempotencyKey = newKey()) =>
          client.appWebhooks.set({ idempotencyKey, id, url, kinds })
        assert.strictEqual((yield* Effect.flip(client.appWebhooks.get({ id })))._tag, "WebhookNotFound")
        const hostile = [
          "https://127.0.0.1/",
          "https://localhost/",
          "http://127.0.0.1:4000/",
          "http://app.example.com/",
          "https://2130706433/",
          "https://[::ffff:10.0.0.1]/",
          "https://169.254.169.254/",
          "https://app.internal/"
        ]
        for (const url of hostile) assert.strictEqual((yield* Effect.flip(set(url)))._tag, "WebhookUrlRefused", url)

        const key = newKey()
        const first = yield* set("https://APP.example.com:443/hooks", key)
        assert.deepInclude(first, { url: "https://app.example.com/hooks", kinds: [...kinds] })
        assert.match(String(first.secret), /^whsec_/)
        assert.deepStrictEqual(yield* set("https://APP.example.com:443/hooks", key), { ...first, secret: null })
        assert.isNull((yield* set("https://app.example.com/other")).secret)
        const rotate = (before: "overlap" | "end") =>
          client.appWebhooks.rotateSecret({ idempotencyKey: newKey(), id, before })
        const rotated = yield* rotate("overlap")
        assert.match(String(rotated.secret), /^whsec_/)
        assert.approximately(rotated.previousUntil?.getTime() ?? 0, Date.now() + 86_400_000, 60_000)
        assert.deepInclude(yield* client.appWebhooks.get({ id }), {
          url: "https://app.example.com/other",
          liveSecrets: 2
        })
        assert.isNull((yield* rotate("end")).previousUntil)
        assert.deepStrictEqual(yield* client.appDeliveries.list({ id }), { items: [], nextCursor: null })
      })
  )
})
