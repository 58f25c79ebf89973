import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { TEST_LIMITS } from "../../../src/domain/webhooks/Webhook.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { arrival } from "../../support/cells/ChosenCell.ts"
import { install, makeStore } from "../../support/http/Api.ts"
import { developer } from "../../support/rpc/Developers.ts"
import { InternetHere, publicReceiver } from "../../support/webhooks/Internet.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { newKey } from "../../support/rpc/Rpc.ts"
import { waitForRequests, IsolatedDeliveringApi, deliveriesOf } from "../../support/webhooks/Webhooks.ts"
import { installing } from "../../support/data/Writes.ts"

const KINDS = ["catalog.product.updated.v1"] as const

/** A developer whose app has a webhook. */
const scene = Effect.gen(function* () {
  const endpoint = yield* publicReceiver()
  const owner = yield* developer
  const { id } = yield* owner.create()
  const set = yield* owner.client.appWebhooks.set({ idempotencyKey: newKey(), id, url: endpoint.url, kinds: KINDS })
  return { ...owner, endpoint, id, secret: set.secret ?? assert.fail("The first time makes a secret") }
})

/** Waits until `n` deliveries of an app are delivered. */
const waitForDelivered = (app: AppId, n: number) =>
  waitUntil(deliveriesOf(app), (deliveries) => deliveries.filter(({ outcome }) => outcome === "delivered").length === n)

layer(Layer.provide(IsolatedDeliveringApi, InternetHere), { excludeTestServices: true, timeout: "120 seconds" })(
  "Webhooks of apps",
  (it) => {
    it.effect("a webhook test sends a signed event at once, also while paused, and returns the response", () =>
      Effect.gen(function* () {
        const { client, endpoint, id, secret } = yield* scene
        endpoint.answerWith(() => ({ status: 418, body: "I am a teapot" }))
        yield* client.appWebhooks.pause({ id })
        const { durationMillis, eventId, ...result } = yield* client.appWebhooks.test({ id })
        assert.deepStrictEqual(result, { status: 418, answer: "I am a teapot", error: null })
        assert.isAtLeast(durationMillis ?? Number.NaN, 0)
        const [request = assert.fail("It came")] = endpoint.received
        const verified = yield* Effect.promise(() => verifyWebhook(secret, request.headers, request.body))
        assert.deepInclude(verified, { ok: true, known: false })
        assert.deepInclude(JSON.parse(request.body), { id: eventId, kind: "webhook.test.v1", data: {} })

        // Both secrets sign during a rotation.
        yield* client.appWebhooks.rotateSecret({ idempotencyKey: newKey(), id, before: "overlap" })
        yield* client.appWebhooks.test({ id })
        const [, second = assert.fail("It came")] = endpoint.received
        assert.deepInclude(yield* Effect.promise(() => verifyWebhook(secret, second.headers, second.body)), {
          ok: true
        })
        assert.deepStrictEqual(yield* client.appDeliveries.list({ id }), { items: [], nextCursor: null })
        assert.deepInclude(yield* client.appWebhooks.get({ id }), { failingSince: null, dead: 0, pending: 0 })
      })
    )

    it.effect("a webhook has no call at first, and fails from a failed test until a test or a delivery succeeds", () =>
      Effect.gen(function* () {
        const { client, endpoint, id } = yield* scene
        const state = Effect.map(client.appWebhooks.get({ id }), ({ calledAt, failingSince, testFailedAt }) => ({
          isCalled: calledAt !== null,
          isFailing: failingSince !== null,
          isTestFailed: testFailedAt !== null
        }))
        const healthy = { isCalled: true, isFailing: false, isTestFailed: false }
        assert.deepStrictEqual(yield* state, { ...healthy, isCalled: false })
        endpoint.answerWith(() => ({ status: 500 }))
        yield* client.appWebhooks.test({ id })
        assert.deepStrictEqual(yield* state, { ...healthy, isTestFailed: true })
        endpoint.answerWith(() => ({}))
        yield* client.appWebhooks.test({ id })
        assert.deepStrictEqual(yield* state, healthy)
        endpoint.answerWith(() => ({ status: 500 }))
        yield* client.appWebhooks.test({ id })
        endpoint.answerWith(() => ({}))
        const storeId = yield* makeStore()
        const { client: writer } = yield* install(storeId)
        const granted = { scopes: ["read_products"], capabilities: [] } as const
        yield* Effect.flatMap(installing, ({ install }) => install({ storeId, appId: id, ...granted }))
        yield* writer.post("/products", { name: "Cup" })
        yield* waitForDelivered(id, 1)
        assert.deepStrictEqual(yield* state, healthy)
        yield* client.appWebhooks.set({ idempotencyKey: newKey(), id, url: `${endpoint.url}/next`, kinds: KINDS })
        yield* arrival
        assert.deepStrictEqual(yield* state, { ...healthy, isCalled: false })
      })
    )

    it.effect("webhook tests are limited per account, and an unreachable URL returns no status", () =>
      Effect.gen(function* () {
        const { client, create, endpoint, id } = yield* scene
        const other = yield* create()
        yield* client.appWebhooks.set({
          idempotencyKey: newKey(),
          id: other.id,
          url: "https://hooks.example.com:1/",
          kinds: KINDS
        })
        assert.deepInclude(yield* client.appWebhooks.test({ id: other.id }), { status: null, answer: "" })
        const tests = yield* Effect.all(
          Array.from({ length: TEST_LIMITS.account + 5 }, () => Effect.result(client.appWebhooks.test({ id }))),
          { concurrency: "unbounded" }
        )
        const refused = tests.flatMap((one) => (one._tag === "Failure" ? [one.failure._tag] : []))
        assert.deepStrictEqual(
          refused,
          Array.from({ length: 6 }, () => "TooManyTests")
        )
        assert.lengthOf(endpoint.received, TEST_LIMITS.account - 1)
        const appWithoutWebhook = yield* create()
        assert.strictEqual(
          (yield* Effect.flip(client.appWebhooks.test({ id: appWithoutWebhook.id })))._tag,
          "WebhookNotFound"
        )
      })
    )

    it.effect(
      "deliveries are listed in pages and by state, sent again once per key, and skipped or delivered on resume",
      () =>
        Effect.gen(function* () {
          const { client, endpoint, id } = yield* scene
          const storeId = yield* makeStore()
          const { client: writer } = yield* install(storeId)
          const granted = { scopes: ["read_products"], capabilities: [] } as const
          yield* Effect.flatMap(installing, ({ install }) => install({ storeId, appId: id, ...granted }))
          for (const name of ["Cup", "Mug", "Jug"]) yield* writer.post("/products", { name })
          yield* waitForRequests(endpoint, 3)
          yield* waitForDelivered(id, 3)

          const first = yield* client.appDeliveries.list({ id, limit: 2 })
          const cursor = first.nextCursor ?? assert.fail("There are more")
          const rest = yield* client.appDeliveries.list({ id, limit: 2, cursor })
          const deliveries = [...first.items, ...rest.items]
          assert.isNull(rest.nextCursor)
          assert.deepStrictEqual(
            deliveries.map(({ eventId }) => eventId),
            deliveries
              .map(({ eventId }) => eventId)
              .toSorted()
              .toReversed()
          )
          assert.lengthOf(deliveries, 3)
          for (const one of deliveries)
            assert.deepInclude(one, { storeId, state: "delivered", attempts: 1, nextAt: null })
          assert.deepStrictEqual((yield* client.appDeliveries.list({ id, state: "dead" })).items, [])

          const eventId = deliveries[0]?.eventId ?? assert.fail("There is one")
          const request = { idempotencyKey: newKey(), id, eventId }
          const [redelivery, ...same] = yield* Effect.all(
            Array.from({ length: 4 }, () => client.appDeliveries.redeliver(request)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(same, [redelivery, redelivery, redelivery])
          assert.deepInclude(redelivery, { eventId, state: "pending", finishedAt: null })
          yield* waitForRequests(endpoint, 4)
          yield* waitForDelivered(id, 3)
          assert.deepStrictEqual(yield* client.appDeliveries.redeliver(request), redelivery)
          const reused = client.appDeliveries.redeliver({ ...request, eventId: deliveries[1]?.eventId ?? eventId })
          assert.strictEqual((yield* Effect.flip(reused))._tag, "KeyReused")
          assert.deepStrictEqual((yield* client.appDeliveries.list({ id, state: "pending" })).items, [])
          assert.lengthOf(yield* client.appDeliveries.attempts({ id, eventId }), 2)

          yield* client.appWebhooks.pause({ id })
          yield* client.appWebhooks.pause({ id })
          yield* arrival
          yield* writer.post("/products", { name: "Pot" })
          assert.deepInclude(yield* client.appWebhooks.get({ id }), { pauseReason: "operator", pending: 1 })
          assert.strictEqual((yield* client.appWebhooks.resume({ id, missed: "skip" })).count, 1)
          assert.lengthOf((yield* client.appDeliveries.list({ id, state: "skipped" })).items, 1)
          yield* client.appWebhooks.pause({ id })
          yield* arrival
          yield* writer.post("/products", { name: "Pan" })
          assert.strictEqual((yield* client.appWebhooks.resume({ id, missed: "deliver" })).count, 1)
          yield* waitForRequests(endpoint, 5)
          assert.deepInclude(yield* client.appWebhooks.get({ id }), { pausedAt: null, pauseReason: null })
        })
    )
  }
)
