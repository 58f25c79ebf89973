import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const create = Effect.fn(function* (client: Client, body: unknown) {
  const answer = yield* client.post("/products", body)
  assert.strictEqual(answer.status, 201, answer.text)
  return dataOf(answer)
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Ids of products", (it) => {
  it.effect("ids are UUIDv7 in lower case and rise inside a store in the order of the writes", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ids: Array<string> = []
      for (let n = 0; n < 20; n++) ids.push(String((yield* create(client, { name: "Cup" }))["id"]))
      for (const id of ids) assert.match(id, UUID_V7)
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("an id holds the time of creation, which createdAt tells", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { createdAt, id } = yield* create(client, { name: "Cup" })
      const millis = Number.parseInt(String(id).replaceAll("-", "").slice(0, 12), 16)
      assert.strictEqual(new Date(millis).toISOString(), createdAt)
    })
  )

  it.effect("a path id that is no UUID is 400 on every route, one in upper case is the same id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client, { name: "Cup" })
      const bad = ["1", "null", "%00", `${id}0`, String(id).replaceAll("-", ""), `{${id}}`, "%F0%9F%98%80", `${id}%20`]
      for (const path of bad.flatMap((text) => [`/products/${text}`, `/collections/${text}`])) {
        for (const answer of [yield* client.patch(path, { name: "x" }), yield* client.delete(path)]) {
          assert.strictEqual(answer.status, 400, `${path} ${answer.text}`)
          assert.match(errorOf(answer).issues?.join() ?? "", /^id: /)
        }
      }
      assert.strictEqual((yield* client.get("/collections/1")).status, 400)
      const upper = yield* client.patch(`/products/${String(id).toUpperCase()}`, { name: "Mug" })
      assert.deepInclude(dataOf(upper), { id, name: "Mug" })
    })
  )

  it.effect("an id that is not in this store is 404 on every route, also when it exists in another one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const product = yield* create(other.client, { name: "Theirs" })
      const collection = dataOf(yield* other.client.post("/collections", { title: "Theirs" }))
      const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057"
      const answers = [
        yield* client.get(`/collections/${collection["id"]}`),
        yield* client.get(`/collections/${nowhere}`)
      ]
      for (const path of ["products", "collections"]) {
        for (const id of [product["id"], collection["id"], nowhere]) {
          answers.push(
            yield* client.patch(`/${path}/${id}`, { isActive: false }),
            yield* client.delete(`/${path}/${id}`)
          )
        }
      }
      for (const answer of answers) {
        assert.strictEqual(answer.status, 404, answer.text)
        assert.deepStrictEqual(Object.keys(errorOf(answer)), ["error"])
      }
      assert.deepStrictEqual((yield* client.get("/products")).json, { products: [], nextCursor: null })
      assert.deepStrictEqual((yield* other.client.get("/products")).json, { products: [product], nextCursor: null })
      assert.deepStrictEqual(dataOf(yield* other.client.get(`/collections/${collection["id"]}`)), collection)
    })
  )
})
