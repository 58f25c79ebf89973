import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import type { Client } from "../../support/http/Api.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { document } from "../../support/http/OpenApi.ts"
import type { Received, Receiver } from "../../support/webhooks/Receiver.ts"
import { type ServiceSignature, stripeAccepts, verifyWithLibraries } from "../../support/webhooks/Verifiers.ts"
import { waitForRequests, DeliveringApi, scene } from "../../support/webhooks/Webhooks.ts"

const NEXT: ServiceSignature = "x-service-signature-next"

/** Creates a product and returns its delivery, the `n`th of the endpoint. */
const deliveryOf = Effect.fnUntraced(function* (writer: Client, endpoint: Receiver, n: number) {
  yield* writer.post("/products", { name: "Cup" })
  const { body, headers } = (yield* waitForRequests(endpoint, n))[n - 1] ?? { body: "", headers: {} }
  return { body, headers }
})

/** Verifies a delivery with one secret: by each library and signature header, and by `verifyWebhook`. */
const verificationsOf = ({ body, headers }: Pick<Received, "body" | "headers">, secret: string) =>
  Effect.promise(async () => {
    const serviceHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-service-")))
    return {
      ...verifyWithLibraries(secret, headers, body),
      stripeByNext: stripeAccepts(secret, headers, body, [NEXT]),
      stripeByBoth: stripeAccepts(secret, headers, body, ["x-service-signature", NEXT]),
      verifyWebhook: (await verifyWebhook(secret, headers, body)).ok,
      verifyWebhookByServiceHeaders: (await verifyWebhook(secret, serviceHeaders, body)).ok
    }
  })

const verifiedByUs = { verifyWebhook: true, verifyWebhookByServiceHeaders: true }
const BY_SIGNATURE = {
  stripe: true,
  stripeByNext: false,
  stripeByBoth: true,
  svix: true,
  standardwebhooks: true,
  ...verifiedByUs
}
const BY_SIGNATURE_NEXT = { ...BY_SIGNATURE, stripe: false, stripeByNext: true }
const REJECTED = {
  stripe: false,
  stripeByNext: false,
  stripeByBoth: false,
  svix: false,
  standardwebhooks: false,
  verifyWebhook: false,
  verifyWebhookByServiceHeaders: false
}

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Rotation of webhook secrets", (it) => {
  it.effect("an overlapping rotation signs with the old secret for a day and with the new one in a second header", () =>
    Effect.gen(function* () {
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const { previousUntil, secret: rotated } = yield* rotateSecret(appId, "overlap")
      const next = Redacted.value(rotated)
      assert.approximately(previousUntil?.getTime() ?? 0, Date.now() + 86_400_000, 60_000)
      const overlapping = yield* deliveryOf(writer, endpoint, 1)
      assert.deepStrictEqual(yield* verificationsOf(overlapping, secret), BY_SIGNATURE)
      assert.deepStrictEqual(yield* verificationsOf(overlapping, next), BY_SIGNATURE_NEXT)
      const described = document.webhooks["catalog.product.updated.v1"]?.post.parameters ?? []
      assert.include(
        described.map(({ name, required }) => `${name.toLowerCase()} ${String(required)}`),
        `${NEXT} false`
      )

      yield* changeGlobally((sql) => sql`update webhooks set previous_secret_until = now() where app_id = ${appId}`)
      const later = yield* deliveryOf(writer, endpoint, 2)
      assert.notProperty(later.headers, NEXT)
      assert.deepStrictEqual(yield* verificationsOf(later, secret), REJECTED)
      assert.deepStrictEqual(yield* verificationsOf(later, next), BY_SIGNATURE)
    })
  )

  it.effect("a rotation with `end` stops all earlier secrets from signing", () =>
    Effect.gen(function* () {
      const { rotateSecret, show } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const leaked = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const { previousUntil, secret: rotated } = yield* rotateSecret(appId, "end")
      assert.isNull(previousUntil)
      assert.strictEqual((yield* show(appId)).liveSecrets, 1)
      const delivery = yield* deliveryOf(writer, endpoint, 1)
      assert.notProperty(delivery.headers, NEXT)
      for (const old of [secret, leaked]) assert.deepStrictEqual(yield* verificationsOf(delivery, old), REJECTED)
      assert.deepStrictEqual(yield* verificationsOf(delivery, Redacted.value(rotated)), BY_SIGNATURE)
    })
  )

  it.effect("a second rotation ends the oldest secret, and the second one signs X-Service-Signature", () =>
    Effect.gen(function* () {
      const { rotateSecret } = yield* Webhooks
      const { appId, endpoint, secret, writer } = yield* scene()
      const second = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const third = Redacted.value((yield* rotateSecret(appId, "overlap")).secret)
      const delivery = yield* deliveryOf(writer, endpoint, 1)
      assert.deepStrictEqual(yield* verificationsOf(delivery, secret), REJECTED)
      assert.deepStrictEqual(yield* verificationsOf(delivery, second), BY_SIGNATURE)
      assert.deepStrictEqual(yield* verificationsOf(delivery, third), BY_SIGNATURE_NEXT)
    })
  )
})
