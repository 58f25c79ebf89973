import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { EventId, type EventKind } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { verifyWebhook } from "../../../src/http/client/Webhooks.ts"
import { dataOf } from "../../support/http/Api.ts"
import { document, problemsAt } from "../../support/http/OpenApi.ts"
import { type Received, receiver } from "../../support/webhooks/Receiver.ts"
import { verifyWithLibraries } from "../../support/webhooks/Verifiers.ts"
import { after, arrived, DeliveringApi, eventOf, hurry, scene } from "../../support/webhooks/Webhooks.ts"
import { suspend } from "../../support/data/Writes.ts"

/** The headers that the document promises for a kind of event. */
const documentedHeaders = (kind: EventKind) =>
  document.webhooks[kind]?.post.parameters
    .filter(({ required }) => required === true)
    .map(({ name }) => name.toLowerCase()) ?? [`${kind} is not documented`]

const isVerified = (one: Received | undefined, secret: string) =>
  Effect.promise(async () => (await verifyWebhook(secret, one?.headers ?? {}, one?.body ?? "")).ok)

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("A delivery", (it) => {
  it.effect("is one signed POST of the event's payload, as it was recorded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { appId, endpoint, secret, storeId, writer } = yield* scene()
      const product = dataOf(yield* writer.post("/products", { name: "Cüp \u2028", metafields: { n: 1e3 } }))
      const [one] = yield* arrived(endpoint, 1)
      const [recorded] = yield* sql<{
        readonly payload: string
      }>`select payload from events where store_id = ${storeId}`
      assert.strictEqual(one?.body, recorded?.payload)
      assert.strictEqual(one?.method, "POST")
      assert.strictEqual(one?.path, new URL(endpoint.url).pathname)

      const headers = one?.headers ?? {}
      const event = eventOf(one ?? { body: "" })
      assert.deepStrictEqual(event.data, { product })
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["webhook-id"], event.id)
      assert.strictEqual(headers["x-service-event-id"], event.id)
      assert.match(headers["x-service-timestamp"] ?? "", /^\d{10}$/)
      assert.strictEqual(headers["webhook-timestamp"], headers["x-service-timestamp"])
      const timestamp = headers["x-service-timestamp"]
      const expected = createHmac("sha256", secret).update(`${timestamp}.${one?.body}`).digest("hex")
      assert.strictEqual(headers["x-service-signature"], expected)
      assert.isTrue(yield* isVerified(one, secret))
      assert.deepInclude(yield* after(appId, 1), { outcome: "delivered", failures: 0 })
    })
  )

  it.effect("is verified by the unmodified libraries of Stripe, Svix and Standard Webhooks", () =>
    Effect.gen(function* () {
      const { endpoint, secret, writer } = yield* scene()
      yield* writer.post("/products", { name: "Cup" })
      yield* writer.post("/collections", { title: "Cups", type: "automated", rules: [] })
      for (const one of yield* arrived(endpoint, 2)) {
        const accept = { stripe: true, svix: true, standardwebhooks: true }
        assert.deepStrictEqual(verifyWithLibraries(secret, one.headers, one.body), accept)
        const refuse = { stripe: false, svix: false, standardwebhooks: false }
        assert.deepStrictEqual(verifyWithLibraries(secret, one.headers, `${one.body} `), refuse)
      }
    })
  )

  it.effect(
    "is as documented, with rising versions of its resource, and an automated collection without its products",
    () =>
      Effect.gen(function* () {
        const { endpoint, writer } = yield* scene()
        const { id } = dataOf(yield* writer.post("/products", { name: "Cup" }))
        for (const stock of [1, 2, 3]) yield* writer.patch(`/products/${id}`, { stock })
        const rules = [{ field: "title", relation: "equals", value: "Cup" }]
        yield* writer.post("/collections", { title: "Cups", type: "automated", rules })
        const events = (yield* arrived(endpoint, 5)).map(eventOf)
        const versions = events.flatMap(({ data }) =>
          data["product"] === undefined ? [] : [data["product"]["version"]]
        )
        assert.deepStrictEqual(versions.toSorted(), [1, 2, 3, 4])
        for (const { body, headers } of endpoint.received) {
          const event: unknown = JSON.parse(body)
          const name = body.includes('"catalog.product.') ? "ProductUpdated" : "CollectionUpdated"
          assert.deepStrictEqual(problemsAt(`#/components/schemas/${name}`, event), [])
          assert.includeMembers(Object.keys(headers), documentedHeaders(eventOf({ body }).kind))
        }
        const collection = events.find(({ kind }) => kind === "catalog.collection.updated.v1")?.data["collection"]
        assert.strictEqual(collection?.["title"], "Cups")
        assert.notProperty(collection, "productIds")
      })
  )

  it.effect("is tried again, with the same id and a fresh time, until a 2xx comes", () =>
    Effect.gen(function* () {
      const { appId, endpoint, secret, writer } = yield* scene(() => ({ status: 500, body: "not today" }))
      yield* writer.post("/products", { name: "Cup" })
      const first = yield* after(appId, 1)
      assert.deepInclude(first, { outcome: null, failures: 1 })
      assert.isTrue((first?.wait ?? 0) >= 4 && (first?.wait ?? 0) < 7, String(first?.wait))
      yield* hurry(appId)
      const second = yield* after(appId, 2)
      assert.isTrue((second?.wait ?? 0) >= 24 && (second?.wait ?? 0) < 37, String(second?.wait))
      endpoint.answerWith(() => ({ status: 299 }))
      yield* hurry(appId)
      assert.deepInclude(yield* after(appId, 3), { outcome: "delivered" })
      assert.lengthOf(new Set(endpoint.received.map(({ headers }) => headers["webhook-id"])), 1)
      assert.lengthOf(new Set(endpoint.received.map(({ body }) => body)), 1)
      for (const one of endpoint.received) assert.isTrue(yield* isVerified(one, secret))
    })
  )

  it.effect("is dead after 14 attempts", () =>
    Effect.gen(function* () {
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 503 }))
      yield* writer.post("/products", { name: "Cup" })
      for (let attempt = 1; attempt < 14; attempt++) {
        assert.deepInclude(yield* after(appId, attempt), { outcome: null, failures: attempt })
        yield* hurry(appId)
      }
      assert.deepInclude(yield* after(appId, 14), { outcome: "dead", failures: 14 })
      assert.lengthOf(endpoint.received, 14)
    })
  )

  it.effect("waits as long as Retry-After says, when that is longer", () =>
    Effect.gen(function* () {
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 429, headers: { "retry-after": "3600" } }))
      yield* writer.post("/products", { name: "Cup" })
      assert.approximately((yield* after(appId, 1))?.wait ?? 0, 3600, 2)
      endpoint.answerWith(() => ({ status: 503, headers: { "retry-after": "1" } }))
      yield* hurry(appId)
      assert.isAtLeast((yield* after(appId, 2))?.wait ?? 0, 24)
    })
  )

  it.effect("is a failure when redirected, and the other place is not asked", () =>
    Effect.gen(function* () {
      const elsewhere = yield* receiver()
      const { appId, writer } = yield* scene(() => ({ status: 307, headers: { location: elsewhere.url } }))
      yield* writer.post("/products", { name: "Cup" })
      assert.deepInclude(yield* after(appId, 1), { outcome: null, failures: 1 })
      assert.lengthOf(elsewhere.received, 0)
    })
  )

  it.effect("is not made to an installation that is suspended meanwhile", () =>
    Effect.gen(function* () {
      const { appId, endpoint, installation, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Cup" })
      yield* after(appId, 1)
      yield* suspend(installation)
      yield* hurry(appId)
      assert.deepInclude(yield* after(appId, 2), { outcome: "canceled" })
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("is not made once its store is deleted", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const { appId, endpoint, storeId, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Cup" })
      yield* after(appId, 1)
      yield* stores.delete(storeId)
      yield* hurry(appId)
      assert.deepInclude(yield* after(appId, 2), { outcome: "canceled" })
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("leaves a log of every attempt: when, how long, status, the first 16 KiB of the answer, error", () =>
    Effect.gen(function* () {
      const { attempts } = yield* Webhooks
      const long = "é".repeat(10_000)
      const { appId, endpoint, installation, writer } = yield* scene(() => ({ status: 502, body: long }))
      yield* writer.post("/products", { name: "Cup" })
      const { eventId } = (yield* after(appId, 1)) ?? { eventId: "" }
      endpoint.answerWith(() => ({ status: 200, body: "thanks" }))
      yield* hurry(appId)
      yield* after(appId, 2)
      const [one] = endpoint.received
      const [failed, done] = yield* attempts(appId, EventId.make(eventId))
      assert.deepInclude(failed, {
        installationId: installation.id,
        attempt: 1,
        status: 502,
        answer: "é".repeat(8192),
        error: null
      })
      assert.isAtLeast(failed?.durationMillis ?? -1, 0)
      assert.approximately(failed?.startedAt.getTime() ?? 0, Date.now(), 60_000)
      assert.deepInclude(done, { attempt: 2, status: 200, answer: "thanks", error: null })
      assert.strictEqual(eventOf(one ?? { body: "" }).id, eventId)
    })
  )
})
