import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, dataOf, errorOf, freshClient, makeStore, pageOf, type Resource } from "../../support/http/Api.ts"
import { makeClientRotation } from "../../support/http/ClientRotation.ts"

const UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"

const idsOf = (rows: ReadonlyArray<Resource>) => rows.map(({ id }) => String(id))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Collection routes", (it) => {
  it.effect("an id of another store is 404, a malformed id is 400, and ids are case-insensitive", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const id = String(dataOf(yield* client.post("/collections", { title: "Desks" }))["id"])
      const all = (path: string, { client: caller } = other) =>
        Effect.all([
          caller.get(`/collections/${path}`),
          caller.patch(`/collections/${path}`, { title: "Mine" }),
          caller.delete(`/collections/${path}`)
        ])
      for (const answer of [...(yield* all(id)), ...(yield* all(UNKNOWN, { ...other, client }))]) {
        assert.strictEqual(answer.status, 404)
        assert.match(errorOf(answer).error, /^Collection [0-9a-f-]{36} was not found$/)
      }
      for (const path of ["1", "not-a-uuid", `${id}0`, "%20"]) {
        for (const answer of yield* all(path)) assert.strictEqual(answer.status, 400, path)
      }
      assert.deepStrictEqual(pageOf(yield* other.client.get("/collections")).items, [])
      assert.strictEqual((yield* client.get(`/collections/${id.toUpperCase()}`)).status, 200)
      assert.strictEqual(dataOf(yield* client.get(`/collections/${id}`))["title"], "Desks")
    })
  )

  it.effect("limit defaults to 50 and is capped at 200, and each collection lists its products", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const client = yield* makeClientRotation(storeId, 4)
      const names = Array.from({ length: 8 }, (_, index) => `Product ${index}`)
      const products = yield* Effect.forEach(names, (name, stock) =>
        Effect.map(client(stock).post("/products", { name, stock }), dataOf)
      )
      const bodies = Array.from({ length: 205 }, (_, index) => {
        const stock = index % 9
        if (index % 3 === 0) return { title: "By hand", productIds: idsOf(products).toReversed().slice(stock) }
        return {
          title: "By rules",
          rules: [{ field: "stock", relation: index % 3 === 1 ? "less_than" : "equals", value: stock }]
        }
      })
      const created = yield* Effect.forEach(bodies, (body, index) =>
        Effect.map(client(index).post("/collections", body), dataOf)
      )
      created.forEach(({ productCount, productIds, type }, index) => {
        const stock = index % 9
        const all = idsOf(products)
        const expected = [all.toReversed().slice(stock), all.slice(0, stock), all.slice(stock, stock + 1)][index % 3]
        assert.strictEqual(type, index % 3 === 0 ? "manual" : "automated")
        assert.deepStrictEqual(productIds, expected)
        assert.strictEqual(productCount, expected?.length)
      })
      const page = (n: number, query: string) => Effect.map(client(n).get(`/collections${query}`), pageOf)
      const cursor = (count: number) => idsOf(created)[count - 1] ?? null
      assert.deepStrictEqual(yield* page(0, ""), { items: created.slice(0, 50), nextCursor: cursor(50) })
      for (const limit of [200, 201, 1_000_000]) {
        const first = yield* page(1, `?limit=${limit}`)
        assert.deepStrictEqual(first, { items: created.slice(0, 200), nextCursor: cursor(200) })
        const rest = yield* page(2, `?limit=${limit}&cursor=${first.nextCursor}`)
        assert.deepStrictEqual(rest, { items: created.slice(200), nextCursor: null })
      }
    })
  )

  it.effect("deleting a collection is immediate and permanent, and keeps its products", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = dataOf(yield* client.post("/products", { name: "Desk" }))
      const remaining = dataOf(yield* client.post("/collections", { title: "Kept", productIds: [product["id"]] }))
      for (const body of [
        { title: "By hand", productIds: [product["id"]] },
        { title: "By rules", rules: [{ field: "title", relation: "is_set" }] }
      ]) {
        const { id } = dataOf(yield* client.post("/collections", body))
        const deleted = yield* client.delete(`/collections/${id}`)
        assert.strictEqual(deleted.status, 200)
        assert.deepStrictEqual(deleted.json, { data: { id, deleted: true } })
        for (const gone of [
          yield* client.get(`/collections/${id}`),
          yield* client.patch(`/collections/${id}`, { title: "Back" }),
          yield* client.delete(`/collections/${id}`)
        ]) {
          assert.strictEqual(gone.status, 404)
        }
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [remaining])
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
    })
  )
})
