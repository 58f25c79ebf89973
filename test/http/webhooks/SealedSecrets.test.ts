import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"
import { WebhooksLive } from "../../../src/layers/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"
import {
  waitForAttempts,
  waitForRequests,
  IsolatedDeliveringApi,
  deliveriesOf,
  scene
} from "../../support/webhooks/Webhooks.ts"

const decodeSecrets = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ secret: Schema.String, previous: Schema.NullOr(Schema.String) }))
)

/** Returns the secrets of an app's webhook as the database stores them. */
const storedSecrets = (appId: AppId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select secret, previous_secret as previous from webhooks where app_id = ${appId}`,
      (rows) => decodeSecrets(rows)[0] ?? assert.fail("The app has a webhook")
    )
  )

const storeSecret = (appId: AppId, secret: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update webhooks set secret = ${secret} where app_id = ${appId}`)

const newKey = () => randomBytes(32).toString("base64")

/** The service of a process with other keys on the same database. */
const withKeys = (keys: Readonly<Record<string, string>>) =>
  Layer.fresh(Layer.provide(WebhooksLive, RepositoriesLive)).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(keys)))
  )

layer(IsolatedDeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Sealed webhook secrets", (it) => {
  it.effect("stored secrets are sealed, including the previous one, and both sign deliveries", () =>
    Effect.gen(function* () {
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const first = yield* storedSecrets(appId)
      assert.match(first.secret, /^aes256gcm\./)
      const next = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const both = yield* storedSecrets(appId)
      assert.match(both.secret, /^aes256gcm\./)
      assert.strictEqual(both.previous, first.secret)

      yield* writer.post("/products", { name: "Cup" })
      const [delivery] = yield* waitForRequests(endpoint, 1)
      if (delivery === undefined) return assert.fail("It arrived")
      const { body, headers } = delivery
      for (const known of [secret, next]) {
        assert.isTrue((yield* Effect.promise(() => verifyWebhook(known, headers, body))).ok)
      }
    })
  )

  it.effect("secrets that an earlier release stored unsealed still sign deliveries", () =>
    Effect.gen(function* () {
      const { appId, endpoint, secret, writer } = yield* scene()
      yield* storeSecret(appId, secret)
      yield* writer.post("/products", { name: "Cup" })
      const [delivery] = yield* waitForRequests(endpoint, 1)
      if (delivery === undefined) return assert.fail("It arrived")
      assert.isTrue((yield* Effect.promise(() => verifyWebhook(secret, delivery.headers, delivery.body))).ok)
    })
  )

  it.effect("a secret that does not open fails the attempt, which stores the reason and sends nothing", () =>
    Effect.gen(function* () {
      const { attempts } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene()
      const other = yield* scene()
      yield* storeSecret(appId, (yield* storedSecrets(other.appId)).secret)
      yield* writer.post("/products", { name: "Cup" })
      assert.deepInclude(yield* waitForAttempts(appId, 1), { attempts: 1, outcome: null })
      const [{ eventId } = assert.fail("There is a delivery")] = yield* deliveriesOf(appId)
      const [attempt] = yield* attempts(appId, eventId)
      assert.deepInclude(attempt, {
        status: null,
        error: "The webhook's secret is encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS"
      })
      assert.lengthOf(endpoint.received, 0)
    })
  )

  it.effect("reseal seals plain secrets and those of the previous key, and counts those that do not open", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from webhooks`
      const [old, plain, unopenable] = [yield* scene(), yield* scene(), yield* scene()]
      const { rotateSecret } = yield* Webhooks
      yield* rotateSecret(plain.appId, "overlap")
      yield* sql`update webhooks set previous_secret = ${plain.secret} where app_id = ${plain.appId}`
      yield* storeSecret(unopenable.appId, (yield* storedSecrets(old.appId)).secret)
      const before = yield* storedSecrets(old.appId)

      const next = { SECRET_KEY: newKey(), SECRET_KEY_PREVIOUS: SECRET_KEY }
      const reseal = Effect.flatMap(Webhooks, (webhooks) => webhooks.reseal)
      const resealed = yield* Effect.provide(reseal, withKeys(next))
      assert.deepStrictEqual(resealed, { resealed: 2, unopened: 1 })
      assert.notStrictEqual((yield* storedSecrets(old.appId)).secret, before.secret)
      assert.strictEqual((yield* storedSecrets(unopenable.appId)).secret, before.secret)
      assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(next)), { resealed: 0, unopened: 1 })

      // Reseals with the original key, the only one that the running service has.
      yield* sql`delete from webhooks where app_id = ${unopenable.appId}`
      const last = { SECRET_KEY, SECRET_KEY_PREVIOUS: next.SECRET_KEY }
      assert.deepStrictEqual(yield* Effect.provide(reseal, withKeys(last)), { resealed: 2, unopened: 0 })
      yield* old.writer.post("/products", { name: "Cup" })
      yield* plain.writer.post("/products", { name: "Cup" })
      for (const { endpoint, secret } of [old, plain]) {
        const [delivery] = yield* waitForRequests(endpoint, 1)
        if (delivery === undefined) return assert.fail("It arrived")
        assert.isTrue((yield* Effect.promise(() => verifyWebhook(secret, delivery.headers, delivery.body))).ok)
      }
    })
  )
})
