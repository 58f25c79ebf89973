import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const create = Effect.fn(function* (client: Client, body: unknown) {
  const answer = yield* client.post("/products", body)
  assert.strictEqual(answer.status, 201, answer.text)
  return dataOf(answer)
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Product ids", (it) => {
  it.effect("ids are lower-case UUIDv7 and ascend in the order of creation", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ids: Array<string> = []
      for (let n = 0; n < 20; n++) ids.push(String((yield* create(client, { name: "Cup" }))["id"]))
      for (const id of ids) assert.match(id, UUID_V7)
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("an id contains the time of createdAt", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { createdAt, id } = yield* create(client, { name: "Cup" })
      const millis = Number.parseInt(String(id).replaceAll("-", "").slice(0, 12), 16)
      assert.strictEqual(new Date(millis).toISOString(), createdAt)
    })
  )

  it.effect("a path id that is not a UUID is 400 on every route, and case is ignored", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client, { name: "Cup" })
      const malformed = [
        "1",
        "null",
        "%00",
        `${id}0`,
        String(id).replaceAll("-", ""),
        `{${id}}`,
        "%F0%9F%98%80",
        `${id}%20`
      ]
      for (const path of malformed.flatMap((text) => [`/products/${text}`, `/collections/${text}`])) {
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

  it.effect("an id that does not exist in the store is 404 on every route, even if another store has it", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const product = yield* create(other.client, { name: "Theirs" })
      const collection = dataOf(yield* other.client.post("/collections", { title: "Theirs" }))
      const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
      const answers = [
        yield* client.get(`/collections/${collection["id"]}`),
        yield* client.get(`/collections/${unknown}`)
      ]
      for (const path of ["products", "collections"]) {
        for (const id of [product["id"], collection["id"], unknown]) {
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
