import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import {
  type Answer,
  ApiTest,
  baseUrl,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  install,
  makeClient,
  pageOf
} from "../../support/http/Api.ts"
import { databaseUrl, lockStore, startSecondServer, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"

const replayHeader = ({ headers }: Answer) => headers.get("idempotent-replayed")

const productNames = (client: Client) =>
  Effect.map(client.get("/products?limit=200"), (response) => pageOf(response).items.map(({ name }) => name))

/** Asserts that the second response is the stored first one. */
const assertReplay = (first: Answer, second: Answer) => {
  assert.strictEqual(second.text, first.text)
  assert.strictEqual(second.status, first.status)
  assert.strictEqual(second.headers.get("content-type"), first.headers.get("content-type"))
  assert.strictEqual(second.headers.get("etag"), first.headers.get("etag"))
  assert.isNull(replayHeader(first))
  assert.strictEqual(replayHeader(second), "true")
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Idempotency keys", (it) => {
  it.effect("a repeated key replays status, body and headers for every kind of write, and marks the replay", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const sendTwice = Effect.fn(function* (send: (key: string) => Effect.Effect<Answer>, key: string) {
        const first = yield* send(key)
        assertReplay(first, yield* send(key))
        return first
      })
      const product = yield* sendTwice((key) => client.post("/products", { name: "Cup", price: 1.5 }, { key }), "a")
      assert.strictEqual(product.status, 201)
      const path = `/products/${String(dataOf(product)["id"])}`
      assert.strictEqual((yield* sendTwice((key) => client.patch(path, { price: 2 }, { key }), "b")).status, 200)
      assert.strictEqual((yield* sendTwice((key) => client.patch(path, {}, { key }), "c")).status, 200)
      assert.strictEqual((yield* sendTwice((key) => client.delete(path, { key }), "d")).status, 200)
      const collection = yield* sendTwice((key) => client.post("/collections", { title: "All" }, { key }), "e")
      const collectionPath = `/collections/${String(dataOf(collection)["id"])}`
      yield* sendTwice((key) => client.patch(collectionPath, { title: "Some" }, { key }), "f")
      yield* sendTwice((key) => client.delete(collectionPath, { key }), "g")
    })
  )

  it.effect("a replay returns the stored response, not the current resource", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* client.post("/products", { name: "Cup" }, { key: "one" })
      const path = `/products/${String(dataOf(first)["id"])}`
      yield* client.patch(path, { name: "Mug" })
      assertReplay(first, yield* client.post("/products", { name: "Cup" }, { key: "one" }))
      yield* client.delete(path)
      assertReplay(first, yield* client.post("/products", { name: "Cup" }, { key: "one" }))
      assert.deepStrictEqual(yield* productNames(client), [])
    })
  )

  it.effect("bodies that differ only in key order, white space or escapes count as the same request", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* client.post(
        "/products",
        '{"name":"Cup","price":1.5,"metafields":{"a":[1,{"x":1,"y":2}],"b":"2"}}',
        { key: "one" }
      )
      const spaced = ' {\n"metafields" : {"b":"2", "a":[ 1, {"y":2,"x":1} ]},\t"price":1.5 , "name":"\\u0043up"}\r\n'
      assertReplay(first, yield* client.post("/products", spaced, { key: "one" }))
    })
  )

  it.effect("a key that was used with another body, method or path is rejected with 409", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const body = { name: "Cup", tags: ["a", "b"] }
      const first = yield* client.post("/products", body, { key: "one" })
      const path = `/products/${String(dataOf(first)["id"])}`
      const second = yield* client.post("/products", { name: "Jug" })
      yield* client.delete(`/products/${String(dataOf(second)["id"])}`, { key: "gone" })
      const differentRequests = [
        client.post("/products", { ...body, name: "Mug" }, { key: "one" }),
        client.post("/products", { ...body, tags: ["b", "a"] }, { key: "one" }),
        client.post("/products", { ...body, unknown: true }, { key: "one" }),
        client.post("/collections", { ...body, title: "Cup" }, { key: "one" }),
        client.patch(path, body, { key: "one" }),
        client.delete(path, { key: "one" }),
        client.delete(path, { key: "gone" })
      ]
      for (const other of differentRequests) {
        const rejected = yield* other
        assert.strictEqual(rejected.status, 409)
        assert.match(errorOf(rejected).error, /Idempotency-Key was used with a different request/)
        assert.isNull(replayHeader(rejected))
      }
      assertReplay(first, yield* client.post("/products", body, { key: "one" }))
      assert.deepStrictEqual(yield* productNames(client), ["Cup"])
    })
  )

  it.effect("keys of different installations are independent, on the same store and on others", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: sameStore } = yield* install(storeId)
      const { client: otherStore } = yield* freshClient()
      for (const installation of [client, sameStore, otherStore]) {
        const created = yield* installation.post("/products", { name: "Cup" }, { key: "shared" })
        assert.strictEqual(created.status, 201)
        assert.isNull(replayHeader(created))
      }
      assert.deepStrictEqual(yield* productNames(client), ["Cup", "Cup"])
      assert.deepStrictEqual(yield* productNames(otherStore), ["Cup"])
    })
  )

  it.effect("64 concurrent requests with one key to two servers write once and return the same response", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const clients = [client, makeClient(yield* startSecondServer, client.token)]
      const responses = yield* Effect.forEach(
        Array.from({ length: 64 }, (_, index) => clients[index % 2] ?? client),
        (each) => each.post("/products", { name: "Cup", price: 3 }, { key: "one" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(responses.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(responses.map(({ text }) => text)).size, 1)
      assert.lengthOf(
        responses.filter((response) => replayHeader(response) === null),
        1
      )
      const sql = yield* SqlClient.SqlClient
      const [counts] = yield* sql`
        select
          (select count(*)::int from products where store_id = ${storeId}) as products,
          (select count(*)::int from events where store_id = ${storeId}) as events,
          (select count(*)::int from idempotency_records where store_id = ${storeId}) as records,
          (select product_count from stores where id = ${storeId}) as counted
      `
      assert.deepStrictEqual(counts, { products: 1, events: 1, records: 1, counted: 1 })
    })
  )

  it.effect("concurrent requests with one key and different bodies: one succeeds, the others return 409", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const responses = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `Cup ${index}`),
        (name) => client.post("/products", { name }, { key: "one" }),
        { concurrency: "unbounded" }
      )
      const winners = responses.filter(({ status }) => status === 201)
      assert.lengthOf(winners, 1)
      assert.lengthOf(
        responses.filter(({ status }) => status === 409),
        19
      )
      assert.deepStrictEqual(
        yield* productNames(client),
        winners.map((winner) => dataOf(winner)["name"])
      )
    })
  )

  it.effect("a waiting request runs if the first request with its key loses its connection", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const send = client.post("/products", { name: "Cup" }, { key: "one" })
      const first = yield* Effect.forkChild(send)
      const [pid] = yield* waitForLockWaits(watcher, 1)
      const second = yield* Effect.forkChild(send)
      yield* waitForLockWaits(watcher, 2)
      yield* rowsOf(watcher, "select pg_terminate_backend($1)", [pid])
      const failed = yield* Fiber.join(first)
      yield* release

      assert.strictEqual(failed.status, 503)
      assert.notMatch(failed.text, /terminat|57P01|administrator/i)
      const completed = yield* Fiber.join(second)
      assert.strictEqual(completed.status, 201)
      assert.isNull(replayHeader(completed))
      assertReplay(completed, yield* send)
      assert.deepStrictEqual(yield* productNames(client), ["Cup"])
    })
  )

  it.effect("a write completes after its client disconnects, and the retry receives the stored response", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const address = `${yield* baseUrl}/api/platform/v1/products`
      const headers = {
        authorization: `Bearer ${client.token ?? ""}`,
        "content-type": "application/json",
        "idempotency-key": "one"
      }
      const controller = new AbortController()
      const request = { method: "POST", headers, body: '{"name":"Cup"}', signal: controller.signal }
      const first = yield* Effect.forkChild(Effect.tryPromise(() => fetch(address, request)))
      yield* waitForLockWaits(watcher, 1)
      controller.abort()
      yield* Effect.flip(Fiber.join(first))
      const retry = yield* Effect.forkChild(client.post("/products", { name: "Cup" }, { key: "one" }))
      yield* waitForLockWaits(watcher, 2)
      yield* release

      const response = yield* Fiber.join(retry)
      assert.strictEqual(response.status, 201)
      assert.strictEqual(replayHeader(response), "true")
      assert.deepStrictEqual(yield* productNames(client), ["Cup"])
    })
  )

  it.effect("error responses are not stored, so their key can be used again, also with another body", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const key = "one"
      const existing = yield* client.post("/products", { name: "Cup", slug: "cup" })
      const path = `/products/${String(dataOf(existing)["id"])}`
      const rejections = [
        [400, client.post("/products", { price: -1 }, { key })],
        [404, client.patch("/products/01890a5d-ac96-774b-bcce-b302099a8057", { price: 1 }, { key })],
        [412, client.patch(path, { price: 1 }, { key, headers: { "if-match": '"7"' } })],
        [422, client.post("/products", { name: "Mug", slug: "cup" }, { key })]
      ] as const
      for (const [status, send] of rejections) assert.strictEqual((yield* send).status, status)
      const fill = (hits: number) => sql`
        update rate_windows set hits = array_fill(clock_micros(), array[${hits}::integer])
        where installation_id = ${installation.id}
      `
      yield* fill(100)
      assert.strictEqual((yield* client.post("/products", { name: "Mug", slug: "mug" }, { key })).status, 429)
      yield* fill(0)
      const created = yield* client.post("/products", { name: "Mug", slug: "mug" }, { key })
      assert.strictEqual(created.status, 201)
      assert.isNull(replayHeader(created))
      assert.strictEqual((yield* client.post("/products", { price: -1 }, { key })).status, 400)
      assert.strictEqual((yield* client.post("/products", { name: "Mug", slug: "cup" }, { key })).status, 409)
    })
  )

  it.effect("a key has 1 to 255 visible ASCII characters, and others are rejected with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ascii = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
      for (const key of ["k", "k".repeat(255), ascii]) {
        assert.strictEqual((yield* client.post("/products", { name: "Cup" }, { key })).status, 201)
      }
      for (const key of ["", "k".repeat(256), "two words", "caf\u00e9", "a\tb"]) {
        const rejected = yield* client.post("/products", { name: "Cup" }, { key })
        assert.strictEqual(rejected.status, 400)
        assert.deepStrictEqual(errorOf(rejected), {
          error: "invalid_key",
          issues: ["Idempotency-Key: must be 1 to 255 visible ASCII characters"]
        })
      }
      assert.lengthOf(yield* productNames(client), 3)
    })
  )

  it.effect("a write without a key is rejected before its path and body are validated; reads need no key", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const writes = [
        client.post("/products", "not JSON", { key: null }),
        client.patch("/products/1", {}, { key: null }),
        client.delete("/products/1", { key: null }),
        client.post("/collections", {}, { key: null }),
        client.patch("/collections/1", {}, { key: null }),
        client.delete("/collections/1", { key: null })
      ]
      for (const write of writes) {
        const rejected = yield* write
        assert.strictEqual(rejected.status, 400)
        assert.strictEqual(errorOf(rejected).error, "missing_key")
        assert.match(errorOf(rejected).issues?.join() ?? "", /^Idempotency-Key: is required/)
      }
      assert.strictEqual((yield* client.get("/products")).status, 200)
      assert.strictEqual((yield* client.get("/collections")).status, 200)
    })
  )
})
