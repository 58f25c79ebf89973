import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import {
  type Answer,
  ApiTest,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  makeStore,
  pageOf
} from "../../support/http/Api.ts"
import { makeClientRotation } from "../../support/http/ClientRotation.ts"

const create = Effect.fn(function* (client: Client, body: unknown) {
  const answer = yield* client.post("/products", body)
  assert.strictEqual(answer.status, 201, answer.text)
  return dataOf(answer)
})

const countOf = (answers: ReadonlyArray<Answer>, status: number) =>
  answers.filter((answer) => answer.status === status).length

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Plan limits", (it) => {
  it.effect("a create above the plan's product limit is 403 until a product is deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('two', 2), ('none', 0)`)
      const { client, storeId } = yield* freshClient({ plan: "two" })
      const { id } = yield* create(client, { name: "One" })
      yield* create(client, { name: "Two" })
      const refused = yield* client.post("/products", { name: "Three" })
      assert.strictEqual(refused.status, 403)
      assert.match(errorOf(refused).error, /\b2 products\b/)
      assert.strictEqual(pageOf(yield* client.get("/products")).items.length, 2)
      yield* client.delete(`/products/${id}`)
      const third = yield* create(client, { name: "Three" })
      assert.strictEqual((yield* client.post("/products", { name: "Four" })).status, 403)

      // After a downgrade, existing products can still be changed and deleted.
      yield* sql`update stores set plan = 'none' where id = ${storeId}`
      assert.strictEqual((yield* client.patch(`/products/${third["id"]}`, { price: 1 })).status, 200)
      assert.strictEqual((yield* client.delete(`/products/${third["id"]}`)).status, 200)
      assert.strictEqual(pageOf(yield* client.get("/products")).items.length, 1)
      assert.strictEqual((yield* client.post("/products", { name: "Five" })).status, 403)
    })
  )

  it.effect("a rejected create does not count towards the product limit", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('one', 1)`)
      const { client } = yield* freshClient({ plan: "one" })
      assert.strictEqual((yield* client.post("/products", { name: "", price: 1 })).status, 400)
      const large = { name: "Large", metafields: { a: "x".repeat(1_048_000) } }
      assert.strictEqual((yield* client.post("/products", large)).status, 422)
      yield* create(client, { name: "One" })
    })
  )

  it.effect("a create above the plan's collection limit is 422 until a collection is deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* changeGlobally(
        (sql) => sql`insert into plans (name, product_limit, collection_limit) values ('shelves', 2, 2), ('bare', 2, 0)`
      )
      const { client, storeId } = yield* freshClient({ plan: "shelves" })
      const rules = [{ field: "title", relation: "is_set" }]
      const first = yield* client.post("/collections", { title: "One" })
      yield* client.post("/collections", { title: "Two", rules })
      for (const body of [{ title: "Three" }, { title: "Three", rules }, { title: "One", slug: "one" }]) {
        const refused = yield* client.post("/collections", body)
        assert.strictEqual(refused.status, 422)
        assert.match(errorOf(refused).error, /\b2 collections\b/)
      }
      assert.strictEqual((yield* client.delete(`/collections/${dataOf(first)["id"]}`)).status, 200)
      const third = yield* client.post("/collections", { title: "Three" })
      assert.strictEqual(third.status, 201)
      assert.strictEqual((yield* client.post("/collections", { title: "Four" })).status, 422)

      yield* sql`update stores set plan = 'bare' where id = ${storeId}`
      const path = `/collections/${dataOf(third)["id"]}`
      assert.strictEqual((yield* client.patch(path, { title: "Third" })).status, 200)
      assert.strictEqual((yield* client.delete(path)).status, 200)
      assert.strictEqual((yield* client.post("/collections", { title: "Five" })).status, 422)
    })
  )

  it.effect("concurrent creates fill the collection limit exactly, even during concurrent deletes", () =>
    Effect.gen(function* () {
      yield* changeGlobally(
        (sql) => sql`insert into plans (name, product_limit, collection_limit) values ('eight', 0, 8)`
      )
      const clientOf = yield* makeClientRotation(yield* makeStore("eight"), 3)
      const race = (n: number, send: (client: Client, index: number) => Effect.Effect<Answer>) =>
        Effect.forEach(
          Array.from({ length: n }, (_, index) => index),
          (index) => send(clientOf(index), index),
          { concurrency: "unbounded" }
        )
      const first = yield* race(40, (client) => client.post("/collections", { title: "Shelf" }))
      assert.strictEqual(countOf(first, 201), 8)
      assert.strictEqual(countOf(first, 422), 32)
      const created = first.filter(({ status }) => status === 201)
      const answers = yield* race(40, (client, index) => {
        const target = index % 5 === 0 ? created[index / 5] : undefined
        return target === undefined
          ? client.post("/collections", { title: "Rack" })
          : client.delete(`/collections/${dataOf(target)["id"]}`)
      })
      assert.strictEqual(countOf(answers, 200), 8)
      assert.strictEqual(countOf(answers, 201) + countOf(answers, 422), 32)
      const rest = yield* race(12, (client) => client.post("/collections", { title: "Board" }))
      assert.strictEqual(countOf(answers, 201) + countOf(rest, 201), 8)
      assert.lengthOf(pageOf(yield* clientOf(0).get("/collections")).items, 8)
    })
  )
})
