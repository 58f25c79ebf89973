import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { type Answer, ApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"

const UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

const tagOf = (response: Answer) => response.headers.get("etag") ?? ""

const ifMatch = (tag: string) => ({ headers: { "if-match": tag } })

/** A product at version 3. */
const atVersion3 = Effect.fn(function* () {
  const { client } = yield* freshClient()
  const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
  yield* client.patch(`/products/${id}`, { price: 1 })
  const path = `/products/${id}`
  return { client, path, product: dataOf(yield* client.patch(path, { price: 2 })) }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Conditional writes", (it) => {
  it.effect("a write returns the version as a strong ETag", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const created = yield* client.post("/products", { name: "Cup" })
      const path = `/products/${dataOf(created)["id"]}`
      assert.strictEqual(created.headers.get("etag"), '"1"')
      assert.strictEqual((yield* client.patch(path, { price: 1 })).headers.get("etag"), '"2"')
      assert.strictEqual((yield* client.patch(path, {})).headers.get("etag"), '"2"')
    })
  )

  it.effect.each(['"3"', "*", " * ", '"2", "3"', '"3","4"', 'W/"2", "3"', '"x", "3"'])(
    "If-Match: %s matches version 3",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        const changed = yield* client.patch(path, { price: 5 }, ifMatch(tag))
        assert.deepInclude(dataOf(changed), { id: product["id"], price: 5, version: 4 })
        const current = tag.includes("*") ? tag : '"4"'
        assert.strictEqual((yield* client.delete(path, ifMatch(current))).status, 200)
      })
  )

  it.effect.each(['"2"', '"4"', '"1", "2"', 'W/"3"', '""', '"x"', '"03"', '"3,4"'])(
    "If-Match: %s does not match version 3: 412, and nothing is written",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        for (const rejected of [
          yield* client.patch(path, { price: 5 }, ifMatch(tag)),
          yield* client.patch(path, {}, ifMatch(tag)),
          yield* client.delete(path, ifMatch(tag))
        ]) {
          assert.strictEqual(rejected.status, 412, rejected.text)
          assert.deepStrictEqual(Object.keys(errorOf(rejected)), ["error"])
        }
        assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
      })
  )

  it.effect.each(["3", "", ",", 'w/"3"', '"3', '3"', '"3" "4"', '"3"; x', "W/3", '*, "3"', "'3'"])(
    "If-Match: %s is malformed: 400, and nothing is written",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        for (const rejected of [
          yield* client.patch(path, { price: 5 }, ifMatch(tag)),
          yield* client.delete(path, ifMatch(tag))
        ]) {
          assert.strictEqual(rejected.status, 400, rejected.text)
          assert.match(errorOf(rejected).error, /If-Match/)
        }
        assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
      })
  )

  it.effect("the ETag of an automated collection covers its products, but If-Match compares only the version", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = `/products/${dataOf(yield* client.post("/products", { name: "Cup", tags: ["oak"] }))["id"]}`
      const key = randomUUID()
      const body = { title: "Oak", rules: [{ field: "tags", relation: "equals", value: "oak" }] }
      const created = yield* client.post("/collections", body, { key })
      const path = `/collections/${dataOf(created)["id"]}`
      const read = Effect.map(client.get(path), tagOf)

      const full = tagOf(created)
      assert.match(full, /^"1\.[0-9a-f]{16}"$/)
      assert.strictEqual(yield* read, full)
      yield* client.patch(product, { tags: [] })
      const empty = yield* read
      assert.match(empty, /^"1\.[0-9a-f]{16}"$/)
      assert.notStrictEqual(empty, full)
      assert.strictEqual(tagOf(yield* client.post("/collections", body, { key })), full)
      yield* client.patch(product, { tags: ["oak"] })
      assert.strictEqual(yield* read, full)

      const patched = yield* client.patch(path, { title: "Oaks" }, ifMatch(empty))
      assert.strictEqual(patched.status, 200)
      assert.strictEqual(tagOf(patched), full.replace('"1.', '"2.'))
      assert.strictEqual(tagOf(patched), yield* read)
      for (const stale of [empty, full, '"1"', `W/${yield* read}`, '"2."', '"2.0"', full.replace('"1.', '"02.')]) {
        assert.strictEqual((yield* client.patch(path, { title: "Stale" }, ifMatch(stale))).status, 412, stale)
      }
      assert.strictEqual((yield* client.patch(path, { title: "Oaken" }, ifMatch('"2"'))).status, 200)
      assert.strictEqual((yield* client.delete(path, ifMatch(yield* read))).status, 200)
    })
  )

  it.effect("a write to a missing product returns 404 with any If-Match", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const tag of ["*", '"1"', '"9"']) {
        assert.strictEqual((yield* client.patch(`/products/${UNKNOWN_ID}`, {}, ifMatch(tag))).status, 404)
        assert.strictEqual((yield* client.delete(`/products/${UNKNOWN_ID}`, ifMatch(tag))).status, 404)
      }
    })
  )
})
