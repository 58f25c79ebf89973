import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
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
  changeGlobally((sql) => sql`update webhooks set secret = ${secret} where app_id = ${appId}`)

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
})
