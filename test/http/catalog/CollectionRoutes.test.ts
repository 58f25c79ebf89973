import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  ApiTest,
  dataOf,
  errorOf,
  freshClient,
  install,
  makeStore,
  pageOf,
  type Resource
} from "../../support/http/Api.ts"
import { crowd } from "../../support/http/ClientRotation.ts"

const UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"

const at = (version: string) => ({ headers: { "if-match": version } })

const idsOf = (rows: ReadonlyArray<Resource>) => rows.map(({ id }) => String(id))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Routes of collections", (it) => {
  it.effect("is found in its own store only, by ids in any case", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const id = String(dataOf(yield* client.post("/collections", { title: "Desks" }))["id"])
      const all = (path: string, { client: asking } = other) =>
        Effect.all([
          asking.get(`/collections/${path}`),
          asking.patch(`/collections/${path}`, { title: "Mine" }),
          asking.delete(`/collections/${path}`)
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

  it.effect("is replaced or removed only at the version that If-Match names, when it names one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const path = `/collections/${dataOf(yield* client.post("/collections", { title: "Desks" }))["id"]}`
      assert.strictEqual((yield* client.patch(path, { title: "Two" }, at('"1"'))).status, 200)
      const stale = yield* client.patch(path, { title: "Three" }, at('"1"'))
      assert.strictEqual(stale.status, 412)
      assert.include(errorOf(stale).error, "its version is 2")
      assert.strictEqual((yield* client.delete(path, at('"1"'))).status, 412)
      assert.strictEqual(dataOf(yield* client.get(path))["title"], "Two")
      assert.strictEqual((yield* client.delete(path, at('"2"'))).status, 200)
    })
  )

  it.effect("needs the scopes of collections, and no others", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient({ scopes: ["read_collections", "write_collections"] })
      const products = (yield* install(storeId, { scopes: ["read_products", "write_products"] })).client
      const created = yield* client.post("/collections", { title: "Desks" })
      assert.strictEqual(created.status, 201)
      const path = `/collections/${dataOf(created)["id"]}`
      for (const [scope, answer] of [
        ["read_collections", yield* products.get("/collections")],
        ["read_collections", yield* products.get(path)],
        ["write_collections", yield* products.post("/collections", { title: "Mine" })],
        ["write_collections", yield* products.patch(path, { title: "Mine" })],
        ["write_collections", yield* products.delete(path)]
      ] as const) {
        assert.strictEqual(answer.status, 403)
        assert.include(errorOf(answer).error, scope)
      }
      assert.strictEqual((yield* client.delete(path)).status, 200)
    })
  )

  it.effect("list collections ascending by id, as many as asked for, on from the cursor", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const titles = ["c", "b", "a", "d", "e"]
      const made = yield* Effect.forEach(titles, (title) => Effect.map(client.post("/collections", { title }), dataOf))
      assert.deepStrictEqual(idsOf(made), idsOf(made).toSorted())
      const read = (query: string) => Effect.map(client.get(`/collections${query}`), pageOf)
      assert.deepStrictEqual(yield* read(""), { items: made, nextCursor: null })
      for (const limit of [1, 2, 3, 4, 5, 6]) {
        const pages: Array<ReadonlyArray<Resource>> = []
        let next: string | null = ""
        while (next !== null) {
          const { items, nextCursor }: ReturnType<typeof pageOf> = yield* read(
            `?limit=${limit}${next === "" ? "" : `&cursor=${next}`}`
          )
          pages.push(items)
          assert.strictEqual(nextCursor ?? idsOf(made).at(-1), idsOf(items).at(-1))
          next = nextCursor
        }
        assert.deepStrictEqual(pages.flat(), made)
        assert.strictEqual(pages.length, Math.ceil(5 / limit))
      }
      const [, second, third] = idsOf(made)
      yield* client.delete(`/collections/${second}`)
      assert.deepStrictEqual((yield* read(`?cursor=${second}&limit=1`)).items, made.slice(2, 3))
      assert.deepStrictEqual(idsOf((yield* read(`?cursor=${third}`)).items), idsOf(made.slice(3)))
      assert.deepStrictEqual(yield* read("?cursor=ffffffff-ffff-7fff-bfff-ffffffffffff"), {
        items: [],
        nextCursor: null
      })
      for (const query of ["?cursor=1", "?cursor=", "?limit=0", "?limit=-1", "?limit=1.5", "?limit=x", "?limit="]) {
        const refused = yield* client.get(`/collections${query}`)
        assert.strictEqual(refused.status, 400, query)
        assert.strictEqual(errorOf(refused).issues?.length, 1, query)
      }
    })
  )

  it.effect("list 50 collections by default and 200 at most, each with the products it holds", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const client = yield* crowd(storeId, 4)
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
      const made = yield* Effect.forEach(bodies, (body, index) =>
        Effect.map(client(index).post("/collections", body), dataOf)
      )
      made.forEach(({ productCount, productIds, type }, index) => {
        const stock = index % 9
        const all = idsOf(products)
        const expected = [all.toReversed().slice(stock), all.slice(0, stock), all.slice(stock, stock + 1)][index % 3]
        assert.strictEqual(type, index % 3 === 0 ? "manual" : "automated")
        assert.deepStrictEqual(productIds, expected)
        assert.strictEqual(productCount, expected?.length)
      })
      const page = (turn: number, query: string) => Effect.map(client(turn).get(`/collections${query}`), pageOf)
      const cursor = (at: number) => idsOf(made)[at - 1] ?? null
      assert.deepStrictEqual(yield* page(0, ""), { items: made.slice(0, 50), nextCursor: cursor(50) })
      for (const limit of [200, 201, 1_000_000]) {
        const first = yield* page(1, `?limit=${limit}`)
        assert.deepStrictEqual(first, { items: made.slice(0, 200), nextCursor: cursor(200) })
        const rest = yield* page(2, `?limit=${limit}&cursor=${first.nextCursor}`)
        assert.deepStrictEqual(rest, { items: made.slice(200), nextCursor: null })
      }
    })
  )

  it.effect("delete a collection at once and for good, and none of its products", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = dataOf(yield* client.post("/products", { name: "Desk" }))
      const kept = dataOf(yield* client.post("/collections", { title: "Kept", productIds: [product["id"]] }))
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
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [kept])
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
    })
  )

  it.effect("run a write once under its key, and refuse the key for another one", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const key = { key: "collection-1" }
      const first = yield* client.post("/collections", { title: "Desks", isActive: true }, key)
      const replay = yield* client.post("/collections", '{"isActive":true, "title":"Desks"}', key)
      assert.strictEqual(replay.status, 201)
      assert.strictEqual(replay.text, first.text)
      assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* client.post("/collections", { title: "Chairs" }, key)).status, 409)
      assert.strictEqual(
        (yield* client.patch(`/collections/${dataOf(first)["id"]}`, { title: "Desks" }, key)).status,
        409
      )
      assert.strictEqual((yield* client.delete(`/collections/${dataOf(first)["id"]}`, key)).status, 409)
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [dataOf(first)])
      const missing = yield* client.post("/collections", { title: "Desks" }, { key: null })
      assert.strictEqual(missing.status, 400)
      assert.strictEqual(errorOf(missing).error, "missing_key")
    })
  )
})
