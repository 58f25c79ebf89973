import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AppId } from "../../../src/domain/access/Apps.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { WebhooksLive } from "../../../src/layers/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"
import { after, arrived, DeliveringApi, deliveriesOf, scene } from "../../support/webhooks/Webhooks.ts"

const keptOf = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ secret: Schema.String, previous: Schema.NullOr(Schema.String) }))
)

/** What the database holds of an app's secrets. */
const kept = (appId: AppId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select secret, previous_secret as previous from webhooks where app_id = ${appId}`,
      (rows) => keptOf(rows)[0] ?? assert.fail("The app has a webhook")
    )
  )

const keep = (appId: AppId, secret: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update webhooks set secret = ${secret} where app_id = ${appId}`)

const newKey = () => randomBytes(32).toString("base64")

/** The webhooks as a process with other keys has them, on the same database. */
const withKeys = (keys: Readonly<Record<string, string>>) =>
  Layer.fresh(WebhooksLive).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(keys))))

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Secrets of webhooks", (it) => {
  it.effect("are sealed where they are kept, the one before too, and sign as they were shown", () =>
    Effect.gen(function* () {
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const first = yield* kept(appId)
      assert.match(first.secret, /^aes256gcm\./)
      const next = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const both = yield* kept(appId)
      assert.match(both.secret, /^aes256gcm\./)
      assert.strictEqual(both.previous, first.secret)

      yield* writer.post("/products", { name: "Cup" })
      const [delivery] = yield* arrived(endpoint, 1)
      if (delivery === undefined) return assert.fail("It arrived")
      const { body, headers } = delivery
      for (const known of [secret, next]) {
        assert.isTrue((yield* Effect.promise(() => verifyWebhook(known, headers, body))).ok)
      }
    })
  )

  it.effect("that an earlier release kept as they are go on signing", () =>
    Effect.gen(function* () {
      const { appId, endpoint, secret, writer } = yield* scene()
      yield* keep(appId, secret)
      yield* writer.post("/products", { name: "Cup" })
      const [delivery] = yield* arrived(endpoint, 1)
      if (delivery === undefined) return assert.fail("It arrived")
      assert.isTrue((yield* Effect.promise(() => verifyWebhook(secret, delivery.headers, delivery.body))).ok)
    })
  )

  it.effect("that do not open sign nothing: the delivery waits for its next attempt, and the log says why", () =>
    Effect.gen(function* () {
      const { attempts } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene()
      const other = yield* scene()
      yield* keep(appId, (yield* kept(other.appId)).secret)
      yield* writer.post("/products", { name: "Cup" })
      assert.deepInclude(yield* after(appId, 1), { attempts: 1, outcome: null })
      const [{ eventId } = assert.fail("There is a delivery")] = yield* deliveriesOf(appId)
      const [attempt] = yield* attempts(appId, eventId)
      assert.deepInclude(attempt, {
        status: null,
        error: "The webhook's secret was sealed with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS"
      })
      assert.lengthOf(endpoint.received, 0)
    })
  )

  it.effect(
    "are sealed anew: those that never were, and those of the key before; what does not open is told and stays",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from webhooks`
        const [old, plain, lost] = [yield* scene(), yield* scene(), yield* scene()]
        const { rotateSecret } = yield* Webhooks
        yield* rotateSecret(plain.appId, "overlap")
        yield* sql`update webhooks set previous_secret = ${plain.secret} where app_id = ${plain.appId}`
        yield* keep(lost.appId, (yield* kept(old.appId)).secret)
        const before = yield* kept(old.appId)

        const next = { SECRET_KEY: newKey(), SECRET_KEY_PREVIOUS: SECRET_KEY }
        const reseal = Effect.flatMap(Webhooks, (webhooks) => webhooks.reseal)
        const resealed = yield* Effect.provide(reseal, withKeys(next))
        assert.deepStrictEqual(resealed, { resealed: 2, unopened: 1 })
        assert.notStrictEqual((yield* kept(old.appId)).secret, before.secret)
        assert.strictEqual((yield* kept(lost.appId)).secret, before.secret)
        assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(next)), { resealed: 0, unopened: 1 })

        // With the new key alone all of them open again.
        yield* sql`delete from webhooks where app_id = ${lost.appId}`
        const last = { SECRET_KEY, SECRET_KEY_PREVIOUS: next.SECRET_KEY }
        assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(last)), { resealed: 2, unopened: 0 })
        yield* old.writer.post("/products", { name: "Cup" })
        yield* plain.writer.post("/products", { name: "Cup" })
        for (const { endpoint, secret } of [old, plain]) {
          const [delivery] = yield* arrived(endpoint, 1)
          if (delivery === undefined) return assert.fail("It arrived")
          assert.isTrue((yield* Effect.promise(() => verifyWebhook(secret, delivery.headers, delivery.body))).ok)
        }
      })
  )
})
