import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Developers, MAX_APPS } from "../../../src/domain/access/Developers.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { APP, developer, hashes, hashOf, toApp } from "../../support/rpc/Developers.ts"
import { connection, duringWork, globalDatabaseUrl, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"
import { agentOf, callLine, errorOf, exitsOf, freshMember, newKey, post } from "../../support/rpc/Rpc.ts"
import { performUnrecorded } from "../../support/data/Writes.ts"

const issuesOf = (error: unknown) => [
  ...Schema.decodeUnknownSync(Schema.Struct({ issues: Schema.Array(Schema.String) }))(error).issues
]

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Errors of app procedures", (it) => {
  it.effect("an app create waits for a concurrent one and fails with AppLimitReached at the limit", () =>
    Effect.gen(function* () {
      const { client, id } = yield* developer
      const url = yield* globalDatabaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      const insert = "insert into apps (id, name, scopes, developer_id) select gen_random_uuid(), 'App', '{}', $1"
      yield* rowsOf(holder, `${insert} from generate_series(2, ${MAX_APPS})`, [id])
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "select from merchants where id = $1 for no key update", [id])
      yield* rowsOf(holder, insert, [id])
      // Bypasses RPC, whose rate window locks the same row.
      const developers = yield* Developers
      const late = yield* Effect.forkChild(Effect.flip(performUnrecorded(developers.create(id, toApp(APP)))))
      yield* duringWork(late, waitForLockWaits(watcher, 1))
      yield* rowsOf(holder, "commit")
      assert.strictEqual((yield* Fiber.join(late))._tag, "AppLimitReached")

      const page = yield* client.apps.list({ limit: 60 })
      assert.lengthOf(page.items, 60)
      const cursor = page.nextCursor ?? assert.fail("There are more")
      assert.lengthOf((yield* client.apps.list({ limit: 60, cursor })).items, 40)
    })
  )

  it.effect("every procedure fails alike for a foreign and an unknown app, and agents can call none of them", () =>
    Effect.gen(function* () {
      const owner = yield* developer
      const app = yield* owner.create()
      const kinds = ["catalog.product.updated.v1"]
      yield* owner.client.appWebhooks.set({
        idempotencyKey: newKey(),
        id: app.id,
        url: "https://app.example.com/secret-path",
        kinds: ["catalog.product.updated.v1"]
      })
      const { sql } = yield* GlobalDatabase
      const before = yield* sql`select * from apps a, webhooks w where a.id = ${app.id} and w.app_id = a.id`
      const payloads: Readonly<Record<string, object>> = {
        "apps.get": {},
        "apps.update": { idempotencyKey: newKey(), patch: { name: "Stolen" } },
        "apps.rotateSecret": { idempotencyKey: newKey(), overlapHours: 0 },
        "apps.installations": {},
        "appWebhooks.get": {},
        "appWebhooks.set": { idempotencyKey: newKey(), url: "https://thief.example.com/", kinds },
        "appWebhooks.rotateSecret": { idempotencyKey: newKey(), before: "end" },
        "appWebhooks.pause": {},
        "appWebhooks.resume": { missed: "skip" },
        "appWebhooks.test": {},
        "appDeliveries.list": {},
        "appDeliveries.attempts": { eventId: randomUUID() },
        "appDeliveries.redeliver": { idempotencyKey: newKey(), eventId: randomUUID() }
      }
      const appProcedures = [...Rpcs.requests.keys()].filter((tag) => /^app[A-Z]|^apps\./.test(tag))
      assert.sameMembers([...Object.keys(payloads), "apps.list", "apps.create"], appProcedures)

      const stranger = yield* developer
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member)
      for (const [tag, payload] of Object.entries(payloads)) {
        const refused = yield* post(callLine(tag, { id: app.id, ...payload }), { cookie: stranger.cookie })
        assert.deepStrictEqual(errorOf(refused.text), { _tag: "AppNotFound", id: app.id }, tag)
        const unknownId = randomUUID()
        const unknown = yield* post(callLine(tag, { id: unknownId, ...payload }), { cookie: stranger.cookie })
        assert.strictEqual(unknown.text.replaceAll(unknownId, app.id), refused.text, tag)
      }
      const allCalls = [
        ...Object.entries(payloads).map(([tag, payload]) => [tag, { id: app.id, ...payload }] as const),
        ["apps.list", {}] as const,
        ["apps.create", { idempotencyKey: newKey(), app: APP }] as const
      ]
      for (const [tag, payload] of allCalls) {
        const { text } = yield* post(callLine(tag, payload), { authorization })
        assert.deepStrictEqual(errorOf(text), { _tag: "AgentRefused" }, tag)
      }
      const { text } = yield* post(callLine("apps.list", {}), { cookie: stranger.cookie })
      assert.deepStrictEqual([...exitsOf(text).values()], [{ _tag: "Success", value: { items: [], nextCursor: null } }])
      assert.deepStrictEqual(
        yield* sql`select * from apps a, webhooks w where a.id = ${app.id} and w.app_id = a.id`,
        before
      )
      assert.deepStrictEqual(yield* hashes(app.id), [hashOf(app.clientSecret)])
    })
  )

  it.effect("apps.create reports every invalid or unknown field", () =>
    Effect.gen(function* () {
      const { cookie } = yield* developer
      const app = {
        name: " ",
        type: "secret",
        website: "http://app.example.com/",
        logoUrl: "javascript:alert(1)",
        redirectUris: Array.from({ length: 21 }, (_, n) => `https://app.example.com/${n}`),
        scopes: ["read_everything"],
        owner: "me"
      }
      const { text } = yield* post(callLine("apps.create", { idempotencyKey: newKey(), app }), { cookie })
      assert.sameMembers(issuesOf(errorOf(text)), [
        "app.owner: is not a field that can be set",
        "app.name: must be text of 1 to 100 characters",
        "app.type: must be confidential or public",
        "app.website: must be an absolute https URL of at most 2,048 characters, or null",
        "app.logoUrl: must be an absolute https URL of at most 2,048 characters, or null",
        "app.redirectUris: must be a list of at most 20 items",
        "app.scopes.0: must be one of read_products, write_products, read_collections, write_collections, read_orders, read_customers, write_inventory, read_files, write_files"
      ])
    })
  )
})
