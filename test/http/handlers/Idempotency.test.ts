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
import { databaseUrl, holdStore, neighbour, rowsOf, waiting } from "../../support/process/Process.ts"

const replayed = ({ headers }: Answer) => headers.get("idempotent-replayed")

const names = (client: Client) =>
  Effect.map(client.get("/products?limit=200"), (answer) => pageOf(answer).items.map(({ name }) => name))

/** A second answer is the stored first one. */
const assertReplay = (first: Answer, second: Answer) => {
  assert.strictEqual(second.text, first.text)
  assert.strictEqual(second.status, first.status)
  assert.strictEqual(second.headers.get("content-type"), first.headers.get("content-type"))
  assert.strictEqual(second.headers.get("etag"), first.headers.get("etag"))
  assert.isNull(replayed(first))
  assert.strictEqual(replayed(second), "true")
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Idempotency", (it) => {
  it.effect("replays status and body byte for byte and says so, for every kind of write", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const twice = Effect.fn(function* (ask: (key: string) => Effect.Effect<Answer>, key: string) {
        const first = yield* ask(key)
        assertReplay(first, yield* ask(key))
        return first
      })
      const product = yield* twice((key) => client.post("/products", { name: "Cup", price: 1.5 }, { key }), "a")
      assert.strictEqual(product.status, 201)
      const path = `/products/${String(dataOf(product)["id"])}`
      assert.strictEqual((yield* twice((key) => client.patch(path, { price: 2 }, { key }), "b")).status, 200)
      assert.strictEqual((yield* twice((key) => client.patch(path, {}, { key }), "c")).status, 200)
      assert.strictEqual((yield* twice((key) => client.delete(path, { key }), "d")).status, 200)
      const collection = yield* twice((key) => client.post("/collections", { title: "All" }, { key }), "e")
      const shelf = `/collections/${String(dataOf(collection)["id"])}`
      yield* twice((key) => client.patch(shelf, { title: "Some" }, { key }), "f")
      yield* twice((key) => client.delete(shelf, { key }), "g")
    })
  )

  it.effect("replays the answer of then, not the resource of now", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* client.post("/products", { name: "Cup" }, { key: "one" })
      const path = `/products/${String(dataOf(first)["id"])}`
      yield* client.patch(path, { name: "Mug" })
      assertReplay(first, yield* client.post("/products", { name: "Cup" }, { key: "one" }))
      yield* client.delete(path)
      assertReplay(first, yield* client.post("/products", { name: "Cup" }, { key: "one" }))
      assert.deepStrictEqual(yield* names(client), [])
    })
  )

  it.effect("takes bodies that say the same for the same: key order and white space do not matter", () =>
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

  it.effect("refuses a key that was used with another body, method, path or query", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const body = { name: "Cup", tags: ["a", "b"] }
      const first = yield* client.post("/products", body, { key: "one" })
      const path = `/products/${String(dataOf(first)["id"])}`
      const second = yield* client.post("/products", { name: "Jug" })
      yield* client.delete(`/products/${String(dataOf(second)["id"])}`, { key: "gone" })
      const others = [
        client.post("/products", { ...body, name: "Mug" }, { key: "one" }),
        client.post("/products", { ...body, tags: ["b", "a"] }, { key: "one" }),
        client.post("/products", { ...body, unknown: true }, { key: "one" }),
        client.post("/products?x=1", body, { key: "one" }),
        client.post("/collections", { ...body, title: "Cup" }, { key: "one" }),
        client.patch(path, body, { key: "one" }),
        client.delete(path, { key: "one" }),
        client.delete(path, { key: "gone" })
      ]
      for (const other of others) {
        const refused = yield* other
        assert.strictEqual(refused.status, 409)
        assert.match(errorOf(refused).error, /Idempotency-Key was used with a different request/)
        assert.isNull(replayed(refused))
      }
      assertReplay(first, yield* client.post("/products", body, { key: "one" }))
      assert.deepStrictEqual(yield* names(client), ["Cup"])
    })
  )

  it.effect("keeps the keys of installations apart, on one store and on several", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: beside } = yield* install(storeId)
      const { client: elsewhere } = yield* freshClient()
      for (const one of [client, beside, elsewhere]) {
        const created = yield* one.post("/products", { name: "Cup" }, { key: "shared" })
        assert.strictEqual(created.status, 201)
        assert.isNull(replayed(created))
      }
      assert.deepStrictEqual(yield* names(client), ["Cup", "Cup"])
      assert.deepStrictEqual(yield* names(elsewhere), ["Cup"])
    })
  )

  it.effect("has one effect and one answer for 64 requests of one key at once, through two servers", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const clients = [client, makeClient(yield* neighbour, client.token)]
      const answers = yield* Effect.forEach(
        Array.from({ length: 64 }, (_, index) => clients[index % 2] ?? client),
        (one) => one.post("/products", { name: "Cup", price: 3 }, { key: "one" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      assert.lengthOf(
        answers.filter((answer) => replayed(answer) === null),
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

  it.effect("refuses all but one of many different bodies under one key at once", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `Cup ${index}`),
        (name) => client.post("/products", { name }, { key: "one" }),
        { concurrency: "unbounded" }
      )
      const winners = answers.filter(({ status }) => status === 201)
      assert.lengthOf(winners, 1)
      assert.lengthOf(
        answers.filter(({ status }) => status === 409),
        19
      )
      assert.deepStrictEqual(
        yield* names(client),
        winners.map((winner) => dataOf(winner)["name"])
      )
    })
  )

  it.effect("lets the waiting request run when the first one dies", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
      const ask = client.post("/products", { name: "Cup" }, { key: "one" })
      const first = yield* Effect.forkChild(ask)
      const [victim] = yield* waiting(watcher, 1)
      const second = yield* Effect.forkChild(ask)
      yield* waiting(watcher, 2)
      yield* rowsOf(watcher, "select pg_terminate_backend($1)", [victim])
      const failed = yield* Fiber.join(first)
      yield* release

      assert.strictEqual(failed.status, 503)
      assert.notMatch(failed.text, /terminat|57P01|administrator/i)
      const ran = yield* Fiber.join(second)
      assert.strictEqual(ran.status, 201)
      assert.isNull(replayed(ran))
      assertReplay(ran, yield* ask)
      assert.deepStrictEqual(yield* names(client), ["Cup"])
    })
  )

  it.effect("finishes the write of a client that hangs up, and keeps the answer for its retry", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { release, watcher } = yield* holdStore(yield* databaseUrl, storeId)
      const address = `${yield* baseUrl}/api/platform/v1/products`
      const headers = {
        authorization: `Bearer ${client.token ?? ""}`,
        "content-type": "application/json",
        "idempotency-key": "one"
      }
      const hangUp = new AbortController()
      const request = { method: "POST", headers, body: '{"name":"Cup"}', signal: hangUp.signal }
      const first = yield* Effect.forkChild(Effect.tryPromise(() => fetch(address, request)))
      yield* waiting(watcher, 1)
      hangUp.abort()
      yield* Effect.flip(Fiber.join(first))
      const retry = yield* Effect.forkChild(client.post("/products", { name: "Cup" }, { key: "one" }))
      yield* waiting(watcher, 2)
      yield* release

      const answer = yield* Fiber.join(retry)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(replayed(answer), "true")
      assert.deepStrictEqual(yield* names(client), ["Cup"])
    })
  )

  it.effect("stores no refusal: the key may be tried again, with another body too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const key = "one"
      const taken = yield* client.post("/products", { name: "Cup", slug: "cup" })
      const path = `/products/${String(dataOf(taken)["id"])}`
      const refusals = [
        [400, client.post("/products", { price: -1 }, { key })],
        [404, client.patch("/products/01890a5d-ac96-774b-bcce-b302099a8057", { price: 1 }, { key })],
        [412, client.patch(path, { price: 1 }, { key, headers: { "if-match": '"7"' } })],
        [422, client.post("/products", { name: "Mug", slug: "cup" }, { key })]
      ] as const
      for (const [status, ask] of refusals) assert.strictEqual((yield* ask).status, status)
      const fill = (hits: number) => sql`
        update rate_windows set hits = array_fill(clock_micros(), array[${hits}::integer])
        where installation_id = ${installation.id}
      `
      yield* fill(100)
      assert.strictEqual((yield* client.post("/products", { name: "Mug", slug: "mug" }, { key })).status, 429)
      yield* fill(0)
      const created = yield* client.post("/products", { name: "Mug", slug: "mug" }, { key })
      assert.strictEqual(created.status, 201)
      assert.isNull(replayed(created))
      assert.strictEqual((yield* client.post("/products", { price: -1 }, { key })).status, 400)
      assert.strictEqual((yield* client.post("/products", { name: "Mug", slug: "cup" }, { key })).status, 409)
    })
  )

  it.effect("takes keys of 1 to 255 visible ASCII characters, and no others", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ascii = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
      for (const key of ["k", "k".repeat(255), ascii]) {
        assert.strictEqual((yield* client.post("/products", { name: "Cup" }, { key })).status, 201)
      }
      for (const key of ["", "k".repeat(256), "two words", "caf\u00e9", "a\tb"]) {
        const refused = yield* client.post("/products", { name: "Cup" }, { key })
        assert.strictEqual(refused.status, 400)
        assert.deepStrictEqual(errorOf(refused), {
          error: "invalid_key",
          issues: ["Idempotency-Key: must be 1 to 255 visible ASCII characters"]
        })
      }
      assert.lengthOf(yield* names(client), 3)
    })
  )

  it.effect("refuses every write without a key, before its path and body are looked at, and no read", () =>
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
        const refused = yield* write
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(errorOf(refused).error, "missing_key")
        assert.match(errorOf(refused).issues?.join() ?? "", /^Idempotency-Key: is required/)
      }
      assert.strictEqual((yield* client.get("/products")).status, 200)
      assert.strictEqual((yield* client.get("/collections")).status, 200)
    })
  )
})
