import { assert, layer } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ApiTest, type Client, dataOf, errorOf, freshClient, pageOf } from "../support/Api.ts"

const create = Effect.fn(function* (client: Client, body: unknown) {
  const answer = yield* client.post("/products", body)
  assert.strictEqual(answer.status, 201, answer.text)
  return dataOf(answer)
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Plan limits", (it) => {
  it.effect("a create beyond the plan's product limit is 403, and every deletion makes room for one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`insert into plans (name, product_limit) values ('two', 2), ('none', 0)`
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

      // A downgrade: what is there stays, and can be changed and deleted.
      yield* sql`update stores set plan = 'none' where id = ${storeId}`
      assert.strictEqual((yield* client.patch(`/products/${third["id"]}`, { price: 1 })).status, 200)
      assert.strictEqual((yield* client.delete(`/products/${third["id"]}`)).status, 200)
      assert.strictEqual(pageOf(yield* client.get("/products")).items.length, 1)
      assert.strictEqual((yield* client.post("/products", { name: "Five" })).status, 403)
    })
  )

  it.effect("a refused create takes no place in the plan", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`insert into plans (name, product_limit) values ('one', 1)`
      const { client } = yield* freshClient({ plan: "one" })
      assert.strictEqual((yield* client.post("/products", { name: "", price: 1 })).status, 400)
      const large = { name: "Large", metafields: { a: "x".repeat(1_048_000) } }
      assert.strictEqual((yield* client.post("/products", large)).status, 422)
      yield* create(client, { name: "One" })
    })
  )
})
