import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { waitForAttempts, IsolatedDeliveringApi, deliveriesOf, scene } from "../../support/webhooks/Webhooks.ts"

/** A service without the demo, which allows loopback hosts to developers, too. */
const WithoutDemo = Layer.provide(
  IsolatedDeliveringApi,
  ConfigProvider.layer(ConfigProvider.fromUnknown({ DEMO: "false", WEBHOOK_ALLOW_HOSTS: "127.0.0.1", SECRET_KEY }))
)

layer(WithoutDemo, { excludeTestServices: true, timeout: "60 seconds" })("Webhooks of developers", (it) => {
  it.effect("a developer's webhook is not sent to a private address, even if the operator allows its host", () =>
    Effect.gen(function* () {
      const { attempts, subscribe } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene()
      const { id } = yield* makeMerchant()
      yield* changeGlobally((sql) => sql`update apps set developer_id = ${id} where id = ${appId}`)
      const webhook = { url: endpoint.url, kinds: ["catalog.product.updated.v1"] as const }
      assert.strictEqual((yield* Effect.flip(subscribe(appId, webhook)))._tag, "WebhookUrlRefused")

      yield* writer.post("/products", { name: "Cup" })
      assert.deepInclude(yield* waitForAttempts(appId, 1), { attempts: 1, outcome: null })
      const [{ eventId } = assert.fail("There is a delivery")] = yield* deliveriesOf(appId)
      const [attempt] = yield* attempts(appId, eventId)
      assert.strictEqual(attempt?.error, "The webhook URL must begin with https://")
      assert.lengthOf(endpoint.received, 0)
    })
  )
})
