import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { Grants } from "../../../src/domain/access/AccessRule.ts"
import { ApiError, type ClientOptions, ConnectionError, OAuthError } from "../../../src/http/client/Client.ts"
import { createEffectClient, ProductId } from "../../../src/http/client/EffectClient.ts"
import { ApiTest, baseUrl, freshClient } from "../../support/http/Api.ts"
import { type Respond, type Reaction, receiver } from "../../support/webhooks/Receiver.ts"

const makeTestClient = Effect.fn(function* (granted: Partial<Grants> = {}) {
  const { client, installation, storeId } = yield* freshClient(granted)
  const url = yield* baseUrl
  return { client: createEffectClient({ url, tokens: client.token ?? "" }), installation, storeId, url }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Effect client", (it) => {
  it.effect("creates, updates and deletes a product and adjusts its stock", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      const created = yield* client.call((api) =>
        api.Products.createProduct({ payload: { name: "Lantern", price: 24.5, stock: 3, tags: ["outdoor"] } })
      )
      assert.include(created.data, { name: "Lantern", price: 24.5, slug: "lantern", version: 1 })
      assert.strictEqual(created.etag, '"1"')
      assert.isFalse(created.isReplayed)
      const params = { id: created.data.id }
      const updated = yield* client.call((api) =>
        api.Products.updateProduct({ params, payload: { name: "Storm lantern" } })
      )
      assert.include(updated.data, { id: params.id, name: "Storm lantern", version: 2 })
      const counted = yield* client.call((api) => api.Products.setInventory({ params, payload: { adjust: -2 } }))
      assert.strictEqual(counted.data.stock, 1)
      const deleted = yield* client.call((api) => api.Products.deleteProduct({ params }))
      assert.deepStrictEqual(deleted.data, { id: params.id, deleted: true })
    })
  )

  it.effect("stream requests only the pages that its consumer reads", () =>
    Effect.gen(function* () {
      const { url } = yield* makeTestClient()
      const { client: credentials } = yield* freshClient()
      let sent = 0
      const counting: ClientOptions["fetch"] = (url, init) => {
        sent++
        return fetch(url, init)
      }
      const client = createEffectClient({ url, tokens: credentials.token ?? "", fetch: counting })
      const names = ["a", "b", "c", "d", "e"]
      for (const name of names) yield* client.call((api) => api.Products.createProduct({ payload: { name } }))
      const products = client.stream(
        (api, query) => api.Products.listProducts({ query: { ...query, limit: 2 } }),
        ({ products }) => products.map(({ name }) => name)
      )
      sent = 0
      assert.deepStrictEqual(yield* Stream.runCollect(products), names)
      assert.strictEqual(sent, 3)
      assert.deepStrictEqual(yield* products.pipe(Stream.take(1), Stream.runCollect), ["a"])
      assert.strictEqual(sent, 4)
    })
  )

  it.effect("a write runs once per idempotency key, and a dry run does not use the key", () =>
    Effect.gen(function* () {
      const { client } = yield* makeTestClient()
      const lantern = { payload: { name: "Lantern" } }
      const preview = yield* client.call((api) => api.Products.createProduct(lantern), {
        dryRun: true,
        idempotencyKey: "one"
      })
      assert.strictEqual(preview.data.slug, "lantern")
      assert.deepStrictEqual(
        preview.events.map(({ kind, version }) => [kind, version]),
        [["catalog.product.updated.v1", 1]]
      )
      const create = client.call((api) => api.Products.createProduct(lantern), { idempotencyKey: "one" })
      const first = yield* create
      const second = yield* create
      assert.deepStrictEqual(second.data, first.data)
      assert.deepStrictEqual([first.isReplayed, second.isReplayed], [false, true])
    })
  )

  it.effect("a rejected call fails with the service's ApiError, also for limits in the API definitions", () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeTestClient()
      const invalid = yield* client
        .call((api) => api.Products.createProduct({ payload: { name: "", price: -1 } }), { requestId: "mine-1" })
        .pipe(Effect.flip)
      assert.instanceOf(invalid, ApiError)
      assert.deepInclude(invalid, { status: 400, requestId: "mine-1" })
      assert.lengthOf(invalid instanceof ApiError ? invalid.issues : [], 2)
      const params = { id: ProductId.make("019c1363-49c0-7fff-8000-000000000000") }
      const missing = yield* client
        .call((api) => api.Products.deleteProduct({ params }), { ifMatch: 3 })
        .pipe(Effect.flip)
      assert.deepInclude(missing, { _tag: "ApiError", status: 404 })
      const { data } = yield* client.call((api) => api.Products.createProduct({ payload: { name: "Lantern" } }))
      const outdated = yield* client
        .call((api) => api.Products.deleteProduct({ params: { id: data.id } }), { ifMatch: 3 })
        .pipe(Effect.flip)
      assert.deepInclude(outdated, { _tag: "ApiError", status: 412 })
      const unauthenticated = createEffectClient({ url, tokens: "nobody's" })
      assert.deepInclude(yield* Effect.flip(unauthenticated.call((api) => api.Store.getStore())), { status: 401 })
    })
  )
})

const LANTERN = { id: "019c1363-49c0-7d21-9a53-5b1c6e2f8a90", name: "Lantern", colour: "red" }
const EXPIRED_TOKENS = { accessToken: "a", refreshToken: "b" }
const respond = (status: number, body: unknown): Reaction => ({ status, body: JSON.stringify(body) })

const script = (...reactions: ReadonlyArray<Reaction>): Respond => {
  let responseCount = 0
  return () => reactions[Math.min(responseCount++, reactions.length - 1)] ?? "hang"
}

const create = (client: ReturnType<typeof createEffectClient>) =>
  client.call((api) => api.Products.createProduct({ payload: { name: "Lantern" } }))

it.live("a write is retried with its idempotency key, and unknown response fields are kept", () =>
  Effect.gen(function* () {
    const server = yield* receiver(script(respond(503, {}), respond(429, {}), respond(201, { data: LANTERN })))
    const client = createEffectClient({ url: server.url, tokens: "a-token", wait: async () => undefined })
    assert.propertyVal((yield* create(client)).data, "colour", "red")
    assert.lengthOf(new Set(server.received.map(({ headers }) => headers["idempotency-key"])), 1)
    assert.lengthOf(server.received, 3)
  })
)

it.live("an unreadable response is a ConnectionError, and a rejected refresh is an OAuthError", () =>
  Effect.gen(function* () {
    for (const body of [{}, [], 1]) {
      const server = yield* receiver(script(respond(200, body)))
      const client = createEffectClient({ url: server.url, tokens: "a-token" })
      assert.instanceOf(yield* Effect.flip(create(client)), ConnectionError)
    }
    const expired = yield* receiver(({ path }) =>
      path.endsWith("/oauth/token") ? respond(400, { error: "invalid_grant" }) : respond(401, {})
    )
    const app = { url: expired.url, clientId: "an-app", redirectUri: "http://localhost:4100/callback" }
    const client = createEffectClient({
      url: expired.url,
      tokens: { app, load: () => EXPIRED_TOKENS, save: () => undefined }
    })
    assert.instanceOf(yield* Effect.flip(create(client)), OAuthError)
  })
)

it.live("interrupting a call aborts its request", () =>
  Effect.gen(function* () {
    const sent = yield* Deferred.make<AbortSignal | null | undefined>()
    const client = createEffectClient({
      url: "http://127.0.0.1:1",
      tokens: "a-token",
      fetch: (_, { signal }) => {
        Deferred.doneUnsafe(sent, Effect.succeed(signal))
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
      }
    })
    const fiber = yield* Effect.forkChild(create(client))
    const signal = yield* Deferred.await(sent)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(signal?.aborted)
  })
)
