import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { type Answer, ApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"

const NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"

const tagOf = (answer: Answer) => answer.headers.get("etag") ?? ""

const given = (tag: string) => ({ headers: { "if-match": tag } })

/** A product at version 3. */
const atVersion3 = Effect.fn(function* () {
  const { client } = yield* freshClient()
  const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
  yield* client.patch(`/products/${id}`, { price: 1 })
  const path = `/products/${id}`
  return { client, path, product: dataOf(yield* client.patch(path, { price: 2 })) }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Conditional writes", (it) => {
  it.effect("writes carry the version as a strong ETag", () =>
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
    "If-Match: %s is met by version 3",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        const changed = yield* client.patch(path, { price: 5 }, given(tag))
        assert.deepInclude(dataOf(changed), { id: product["id"], price: 5, version: 4 })
        const now = tag.includes("*") ? tag : '"4"'
        assert.strictEqual((yield* client.delete(path, given(now))).status, 200)
      })
  )

  it.effect.each(['"2"', '"4"', '"1", "2"', 'W/"3"', '""', '"x"', '"03"', '"3,4"'])(
    "If-Match: %s is stale at version 3: 412, and nothing is written",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        for (const refused of [
          yield* client.patch(path, { price: 5 }, given(tag)),
          yield* client.patch(path, {}, given(tag)),
          yield* client.delete(path, given(tag))
        ]) {
          assert.strictEqual(refused.status, 412, refused.text)
          assert.deepStrictEqual(Object.keys(errorOf(refused)), ["error"])
        }
        assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
      })
  )

  it.effect.each(["3", "", ",", 'w/"3"', '"3', '3"', '"3" "4"', '"3"; x', "W/3", '*, "3"', "'3'"])(
    "If-Match: %s is malformed: 400, and nothing is written",
    (tag) =>
      Effect.gen(function* () {
        const { client, path, product } = yield* atVersion3()
        for (const refused of [
          yield* client.patch(path, { price: 5 }, given(tag)),
          yield* client.delete(path, given(tag))
        ]) {
          assert.strictEqual(refused.status, 400, refused.text)
          assert.match(errorOf(refused).error, /If-Match/)
        }
        assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
      })
  )

  it.effect("the ETag of an automated collection changes with its products, and If-Match still means its version", () =>
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

      const patched = yield* client.patch(path, { title: "Oaks" }, given(empty))
      assert.strictEqual(patched.status, 200)
      assert.strictEqual(tagOf(patched), full.replace('"1.', '"2.'))
      assert.strictEqual(tagOf(patched), yield* read)
      for (const stale of [empty, full, '"1"', `W/${yield* read}`, '"2."', '"2.0"', full.replace('"1.', '"02.')]) {
        assert.strictEqual((yield* client.patch(path, { title: "Stale" }, given(stale))).status, 412, stale)
      }
      assert.strictEqual((yield* client.patch(path, { title: "Oaken" }, given('"2"'))).status, 200)
      assert.strictEqual((yield* client.delete(path, given(yield* read))).status, 200)
    })
  )

  it.effect("a product that is not there is 404, whatever the condition", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const tag of ["*", '"1"', '"9"']) {
        assert.strictEqual((yield* client.patch(`/products/${NOWHERE}`, {}, given(tag))).status, 404)
        assert.strictEqual((yield* client.delete(`/products/${NOWHERE}`, given(tag))).status, 404)
      }
    })
  )

  it.effect("of writes at the same moment that name the same version exactly one is made", () =>
    Effect.gen(function* () {
      const { client, path } = yield* atVersion3()
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, (_, n) => client.patch(path, { price: 100 + n }, given('"3"'))),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [200, ...Array.from({ length: 9 }, () => 412)])
      const winner = answers.filter(({ status }) => status === 200).map(dataOf)
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, winner)
    })
  )

  it.effect("without If-Match every write at the same moment is made, one version after another", () =>
    Effect.gen(function* () {
      const { client, path } = yield* atVersion3()
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, (_, n) => client.patch(path, { price: 100 + n })),
        { concurrency: "unbounded" }
      )
      const versions = answers.map((answer) => Number(dataOf(answer)["version"]))
      assert.deepStrictEqual(
        versions.toSorted((a, b) => a - b),
        [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
      )
      const last = answers.map(dataOf).filter(({ version }) => version === 13)
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, last)
    })
  )
})
