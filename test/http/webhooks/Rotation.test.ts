import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import type { Client } from "../../support/http/Api.ts"
import { document } from "../../support/http/OpenApi.ts"
import type { Received, Receiver } from "../../support/webhooks/Receiver.ts"
import { type ServiceSignature, stripeAccepts, verifyWithLibraries } from "../../support/webhooks/Verifiers.ts"
import { arrived, DeliveringApi, scene } from "../../support/webhooks/Webhooks.ts"

const NEXT: ServiceSignature = "x-service-signature-next"

/** Makes a write, and gives the delivery that tells of it: the `n`th. */
const deliveryOf = Effect.fnUntraced(function* (writer: Client, endpoint: Receiver, n: number) {
  yield* writer.post("/products", { name: "Cup" })
  const { body, headers } = (yield* arrived(endpoint, n))[n - 1] ?? { body: "", headers: {} }
  return { body, headers }
})

/** Who takes a delivery that knows only this secret: by each header that the unmodified libraries read, and by ours. */
const takenBy = ({ body, headers }: Pick<Received, "body" | "headers">, secret: string) =>
  Effect.promise(async () => {
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-service-")))
    return {
      ...verifyWithLibraries(secret, headers, body),
      stripeByNext: stripeAccepts(secret, headers, body, [NEXT]),
      stripeByBoth: stripeAccepts(secret, headers, body, ["x-service-signature", NEXT]),
      verifyWebhook: (await verifyWebhook(secret, headers, body)).ok,
      verifyWebhookByOwn: (await verifyWebhook(secret, own, body)).ok
    }
  })

const ours = { verifyWebhook: true, verifyWebhookByOwn: true }
const ALONE = { stripe: true, stripeByNext: false, stripeByBoth: true, svix: true, standardwebhooks: true, ...ours }
const NEWER = { ...ALONE, stripe: false, stripeByNext: true }
const NOBODY = {
  stripe: false,
  stripeByNext: false,
  stripeByBoth: false,
  svix: false,
  standardwebhooks: false,
  verifyWebhook: false,
  verifyWebhookByOwn: false
}

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("A secret that is replaced", (it) => {
  it.effect("goes on signing X-Service-Signature for a day, beside the new one's X-Service-Signature-Next", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const { previousUntil, secret: made } = yield* rotateSecret(appId, "overlap")
      const next = Redacted.value(made)
      assert.approximately(previousUntil?.getTime() ?? 0, Date.now() + 86_400_000, 60_000)
      const both = yield* deliveryOf(writer, endpoint, 1)
      assert.deepStrictEqual(yield* takenBy(both, secret), ALONE)
      assert.deepStrictEqual(yield* takenBy(both, next), NEWER)
      const described = document.webhooks["catalog.product.updated.v1"]?.post.parameters ?? []
      assert.include(
        described.map(({ name, required }) => `${name.toLowerCase()} ${String(required)}`),
        `${NEXT} false`
      )

      yield* sql`update webhooks set previous_secret_until = now() where app_id = ${appId}`
      const alone = yield* deliveryOf(writer, endpoint, 2)
      assert.notProperty(alone.headers, NEXT)
      assert.deepStrictEqual(yield* takenBy(alone, secret), NOBODY)
      assert.deepStrictEqual(yield* takenBy(alone, next), ALONE)
    })
  )

  it.effect("signs nothing more when it ends now, as one that leaked should, and neither does one before it", () =>
    Effect.gen(function* () {
      const { rotateSecret, show } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const leaked = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const { previousUntil, secret: made } = yield* rotateSecret(appId, "end")
      assert.isNull(previousUntil)
      assert.strictEqual((yield* show(appId)).liveSecrets, 1)
      const one = yield* deliveryOf(writer, endpoint, 1)
      assert.notProperty(one.headers, NEXT)
      for (const old of [secret, leaked]) assert.deepStrictEqual(yield* takenBy(one, old), NOBODY)
      assert.deepStrictEqual(yield* takenBy(one, Redacted.value(made)), ALONE)
    })
  )

  it.effect("ends when the one in its place is replaced too, which then takes over X-Service-Signature", () =>
    Effect.gen(function* () {
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const second = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const third = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const one = yield* deliveryOf(writer, endpoint, 1)
      assert.deepStrictEqual(yield* takenBy(one, secret), NOBODY)
      assert.deepStrictEqual(yield* takenBy(one, second), ALONE)
      assert.deepStrictEqual(yield* takenBy(one, third), NEWER)
    })
  )
})
