import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { EventId, type EventKind } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { dataOf } from "../../support/http/Api.ts"
import { document, validationErrors } from "../../support/http/OpenApi.ts"
import { type Received, receiver } from "../../support/webhooks/Receiver.ts"
import { verifyWithLibraries } from "../../support/webhooks/Verifiers.ts"
import {
  waitForAttempts,
  waitForRequests,
  DeliveringApi,
  eventOf,
  makeDue,
  scene
} from "../../support/webhooks/Webhooks.ts"
import { suspend } from "../../support/data/Writes.ts"

/** Returns the required headers of an event kind in the OpenAPI document. */
const documentedHeaders = (kind: EventKind) =>
  document.webhooks[kind]?.post.parameters
    .filter(({ required }) => required === true)
    .map(({ name }) => name.toLowerCase()) ?? [`${kind} is not documented`]

const isVerified = (delivery: Received | undefined, secret: string) =>
  Effect.promise(async () => (await verifyWebhook(secret, delivery?.headers ?? {}, delivery?.body ?? "")).ok)

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Webhook deliveries", (it) => {
  it.effect("a delivery is one signed POST of the stored event payload", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, endpoint, secret, storeId, writer } = yield* scene()
      const product = dataOf(yield* writer.post("/products", { name: "Cüp \u2028", metafields: { n: 1e3 } }))
      const [delivery] = yield* waitForRequests(endpoint, 1)
      const [storedEvent] = yield* sql<{
        readonly payload: string
      }>`select payload from events where store_id = ${storeId}`
      assert.strictEqual(delivery?.body, storedEvent?.payload)
      assert.strictEqual(delivery?.method, "POST")
      assert.strictEqual(delivery?.path, new URL(endpoint.url).pathname)

      const headers = delivery?.headers ?? {}
      const event = eventOf(delivery ?? { body: "" })
      assert.deepStrictEqual(event.data, { product })
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["webhook-id"], event.id)
      assert.strictEqual(headers["x-service-event-id"], event.id)
      assert.match(headers["x-service-timestamp"] ?? "", /^\d{10}$/)
      assert.strictEqual(headers["webhook-timestamp"], headers["x-service-timestamp"])
      const timestamp = headers["x-service-timestamp"]
      const expected = createHmac("sha256", secret).update(`${timestamp}.${delivery?.body}`).digest("hex")
      assert.strictEqual(headers["x-service-signature"], expected)
      assert.isTrue(yield* isVerified(delivery, secret))
      assert.deepInclude(yield* waitForAttempts(appId, 1), { outcome: "delivered", failures: 0 })
    })
  )

  it.effect("a delivery verifies with the unmodified libraries of Stripe, Svix and Standard Webhooks", () =>
    Effect.gen(function* () {
      const { endpoint, secret, writer } = yield* scene()
      yield* writer.post("/products", { name: "Cup" })
      yield* writer.post("/collections", { title: "Cups", type: "automated", rules: [] })
      for (const delivery of yield* waitForRequests(endpoint, 2)) {
        const accepted = { stripe: true, svix: true, standardwebhooks: true }
        assert.deepStrictEqual(verifyWithLibraries(secret, delivery.headers, delivery.body), accepted)
        const rejected = { stripe: false, svix: false, standardwebhooks: false }
        assert.deepStrictEqual(verifyWithLibraries(secret, delivery.headers, `${delivery.body} `), rejected)
      }
    })
  )

  it.effect("deliveries match the OpenAPI document, and an automated collection omits its products", () =>
    Effect.gen(function* () {
      const { endpoint, writer } = yield* scene()
      const { id } = dataOf(yield* writer.post("/products", { name: "Cup" }))
      for (const stock of [1, 2, 3]) yield* writer.patch(`/products/${id}`, { stock })
      const rules = [{ field: "title", relation: "equals", value: "Cup" }]
      yield* writer.post("/collections", { title: "Cups", type: "automated", rules })
      const events = (yield* waitForRequests(endpoint, 5)).map(eventOf)
      const versions = events.flatMap(({ data }) => (data["product"] === undefined ? [] : [data["product"]["version"]]))
      assert.deepStrictEqual(versions.toSorted(), [1, 2, 3, 4])
      for (const { body, headers } of endpoint.received) {
        const event: unknown = JSON.parse(body)
        const name = body.includes('"catalog.product.') ? "ProductUpdated" : "CollectionUpdated"
        assert.deepStrictEqual(validationErrors(`#/components/schemas/${name}`, event), [])
        assert.includeMembers(Object.keys(headers), documentedHeaders(eventOf({ body }).kind))
      }
      const collection = events.find(({ kind }) => kind === "catalog.collection.updated.v1")?.data["collection"]
      assert.strictEqual(collection?.["title"], "Cups")
      assert.notProperty(collection, "productIds")
    })
  )

  it.effect("a failed delivery is retried with the same id and body until a 2xx response", () =>
    Effect.gen(function* () {
      const { appId, endpoint, secret, writer } = yield* scene(() => ({ status: 500, body: "not today" }))
      yield* writer.post("/products", { name: "Cup" })
      const first = yield* waitForAttempts(appId, 1)
      assert.deepInclude(first, { outcome: null, failures: 1 })
      assert.isTrue((first?.wait ?? 0) >= 4 && (first?.wait ?? 0) < 7, String(first?.wait))
      yield* makeDue(appId)
      const second = yield* waitForAttempts(appId, 2)
      assert.isTrue((second?.wait ?? 0) >= 24 && (second?.wait ?? 0) < 37, String(second?.wait))
      endpoint.answerWith(() => ({ status: 299 }))
      yield* makeDue(appId)
      assert.deepInclude(yield* waitForAttempts(appId, 3), { outcome: "delivered" })
      assert.lengthOf(new Set(endpoint.received.map(({ headers }) => headers["webhook-id"])), 1)
      assert.lengthOf(new Set(endpoint.received.map(({ body }) => body)), 1)
      for (const delivery of endpoint.received) assert.isTrue(yield* isVerified(delivery, secret))
    })
  )

  it.effect("a delivery is dead after 14 failed attempts", () =>
    Effect.gen(function* () {
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 503 }))
      yield* writer.post("/products", { name: "Cup" })
      for (let attempt = 1; attempt < 14; attempt++) {
        assert.deepInclude(yield* waitForAttempts(appId, attempt), { outcome: null, failures: attempt })
        yield* makeDue(appId)
      }
      assert.deepInclude(yield* waitForAttempts(appId, 14), { outcome: "dead", failures: 14 })
      assert.lengthOf(endpoint.received, 14)
    })
  )

  it.effect("Retry-After delays the next attempt if it is longer than the backoff", () =>
    Effect.gen(function* () {
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 429, headers: { "retry-after": "3600" } }))
      yield* writer.post("/products", { name: "Cup" })
      assert.approximately((yield* waitForAttempts(appId, 1))?.wait ?? 0, 3600, 2)
      endpoint.answerWith(() => ({ status: 503, headers: { "retry-after": "1" } }))
      yield* makeDue(appId)
      assert.isAtLeast((yield* waitForAttempts(appId, 2))?.wait ?? 0, 24)
    })
  )

  it.effect("a redirect is a failed attempt, and the service does not follow it", () =>
    Effect.gen(function* () {
      const redirectTarget = yield* receiver()
      const { appId, writer } = yield* scene(() => ({ status: 307, headers: { location: redirectTarget.url } }))
      yield* writer.post("/products", { name: "Cup" })
      assert.deepInclude(yield* waitForAttempts(appId, 1), { outcome: null, failures: 1 })
      assert.lengthOf(redirectTarget.received, 0)
    })
  )

  it.effect("suspending an installation cancels its pending delivery", () =>
    Effect.gen(function* () {
      const { appId, endpoint, installation, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Cup" })
      yield* waitForAttempts(appId, 1)
      yield* suspend(installation)
      yield* makeDue(appId)
      assert.deepInclude(yield* waitForAttempts(appId, 2), { outcome: "canceled" })
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("deleting a store cancels its pending delivery", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const { appId, endpoint, storeId, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Cup" })
      yield* waitForAttempts(appId, 1)
      yield* stores.delete(storeId)
      yield* makeDue(appId)
      assert.deepInclude(yield* waitForAttempts(appId, 2), { outcome: "canceled" })
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("every attempt is stored with start, duration, status, error and the first 16 KiB of the response", () =>
    Effect.gen(function* () {
      const { attempts } = yield* Webhooks
      const long = "é".repeat(10_000)
      const { appId, endpoint, installation, writer } = yield* scene(() => ({ status: 502, body: long }))
      yield* writer.post("/products", { name: "Cup" })
      const { eventId } = (yield* waitForAttempts(appId, 1)) ?? { eventId: "" }
      endpoint.answerWith(() => ({ status: 200, body: "thanks" }))
      yield* makeDue(appId)
      yield* waitForAttempts(appId, 2)
      const [delivery] = endpoint.received
      const [failed, succeeded] = yield* attempts(appId, EventId.make(eventId))
      assert.deepInclude(failed, {
        installationId: installation.id,
        attempt: 1,
        status: 502,
        answer: "é".repeat(8192),
        error: null
      })
      assert.isAtLeast(failed?.durationMillis ?? -1, 0)
      assert.approximately(failed?.startedAt.getTime() ?? 0, Date.now(), 60_000)
      assert.deepInclude(succeeded, { attempt: 2, status: 200, answer: "thanks", error: null })
      assert.strictEqual(eventOf(delivery ?? { body: "" }).id, eventId)
    })
  )
})
