import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { AppPatch } from "../../../src/domain/access/Developers.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { ApiTest, makeStore } from "../../support/http/Api.ts"
import { APP, developer, hashes, hashOf, toApp } from "../../support/rpc/Developers.ts"
import { newKey } from "../../support/rpc/Rpc.ts"
import { installing } from "../../support/data/Writes.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Apps of developers", (it) => {
  it.effect("the client secret of a new app is returned once and stored only as a hash", () =>
    Effect.gen(function* () {
      const { client } = yield* developer
      const request = { idempotencyKey: newKey(), app: toApp(APP) }
      const { clientSecret, ...app } = yield* client.apps.create(request)
      assert.match(String(clientSecret), /^app_secret_[\w-]{43}$/)
      assert.deepStrictEqual(yield* hashes(app.id), [hashOf(clientSecret)])
      assert.deepInclude(app, { ...toApp(APP), installations: 0 })
      assert.lengthOf(app.secrets, 1)
      assert.deepStrictEqual(yield* client.apps.create(request), { ...app, clientSecret: null })
      assert.deepStrictEqual(yield* client.apps.get({ id: app.id }), app)
      assert.deepStrictEqual(yield* client.apps.list({}), { items: [app], nextCursor: null })
      const other = { ...request, app: toApp({ ...APP, name: "Another" }) }
      assert.strictEqual((yield* Effect.flip(client.apps.create(other)))._tag, "KeyReused")
      const { sql } = yield* GlobalDatabase
      const records = yield* sql`select outcome from idempotency_records where outcome like ${`%${app.id}%`}`
      assert.lengthOf(records, 1)
      assert.notInclude(JSON.stringify(records), "app_secret_")
    })
  )

  it.effect("concurrent creates with the same idempotency key register one app", () =>
    Effect.gen(function* () {
      const { client } = yield* developer
      const request = { idempotencyKey: newKey(), app: toApp(APP) }
      const created = yield* Effect.all(
        Array.from({ length: 8 }, () => client.apps.create(request)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(created.map(({ id }) => id)), 1)
      assert.lengthOf(
        created.filter(({ clientSecret }) => clientSecret !== null),
        1
      )
      assert.lengthOf((yield* client.apps.list({})).items, 1)
    })
  )

  it.effect(
    "an update changes only the named fields of an app, and public apps have custom URI schemes and no secret",
    () =>
      Effect.gen(function* () {
        const { client, create } = yield* developer
        const { clientSecret: _, ...app } = yield* create()
        const update = (id: AppId, patch: object) =>
          client.apps.update({ idempotencyKey: newKey(), id, patch: Schema.decodeUnknownSync(AppPatch)(patch) })
        assert.deepStrictEqual(yield* update(app.id, {}), app)
        const patch = { name: "Sync", website: null, scopes: ["read_products"] as const, redirectUris: [] }
        assert.deepStrictEqual(yield* update(app.id, patch), { ...app, ...patch })

        const customSchemeUri = "com.example.app:/callback"
        assert.deepInclude(yield* Effect.flip(update(app.id, { redirectUris: [customSchemeUri] })), {
          _tag: "RedirectUriRefused",
          uri: customSchemeUri
        })
        const publicApp = yield* create({ type: "public", redirectUris: [customSchemeUri] })
        assert.deepInclude(publicApp, {
          clientSecret: null,
          secrets: [],
          redirectUris: [customSchemeUri],
          type: "public"
        })
        const rotated = yield* Effect.flip(client.apps.rotateSecret({ idempotencyKey: newKey(), id: publicApp.id }))
        assert.strictEqual(rotated._tag, "NoClientSecret")
      })
  )

  it.effect("a rotated client secret stays valid for the given overlap, and at most two are valid", () =>
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

  it.effect("developers list the installations of their app without store ids", () =>
    Effect.gen(function* () {
      const { client, create } = yield* developer
      const { install } = yield* installing
      const [app, other] = [yield* create(), yield* create()]
      const stores = [yield* makeStore(), yield* makeStore()]
      const granted = { ...ALL_GRANTS, scopes: ["read_products"] as const, capabilities: [] }
      const created = yield* Effect.forEach(stores, (storeId) => install({ storeId, appId: app.id, ...granted }))
      const page = yield* client.apps.installations({ id: app.id })
      assert.deepStrictEqual(
        page.items.map(({ id }) => id),
        created.map(({ id }) => id)
      )
      for (const storeId of stores) assert.notInclude(JSON.stringify(page), storeId)
      assert.strictEqual((yield* client.apps.get({ id: app.id })).installations, 2)
      const first = yield* client.apps.installations({ id: app.id, limit: 1 })
      assert.strictEqual(first.nextCursor, created[0]?.id ?? null)
      assert.deepStrictEqual((yield* client.apps.installations({ id: other.id })).items, [])

      // Removing a scope from the app does not change what merchants granted.
      const patch = Schema.decodeUnknownSync(AppPatch)({ scopes: [] })
      yield* client.apps.update({ idempotencyKey: newKey(), id: app.id, patch })
      const after = yield* client.apps.installations({ id: app.id })
      assert.deepStrictEqual(after, page)
    })
  )

  it.effect("the first webhook URL returns a secret that can be rotated, and private URLs are rejected", () =>
    Effect.gen(function* () {
      const { client, create } = yield* developer
      const { id } = yield* create()
      const kinds = ["catalog.product.updated.v1"] as const
      const set = (url: string, idempotencyKey = newKey()) => client.appWebhooks.set({ idempotencyKey, id, url, kinds })
      assert.strictEqual((yield* Effect.flip(client.appWebhooks.get({ id })))._tag, "WebhookNotFound")
      const hostile = [
        "https://10.0.0.1/",
        "http://10.0.0.1:4000/",
        "http://app.example.com/",
        "https://167772161/",
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
