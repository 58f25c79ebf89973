import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { type Client, ApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"

/** Creates products with the given names and returns their ids in ascending order. */
const makeProducts = (client: Client, ...names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) =>
    Effect.map(client.post("/products", { name }), (created) => String(dataOf(created)["id"]))
  )

const byName = (...names: ReadonlyArray<string>) => [{ field: "title", relation: "in", value: names }]

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)
const Event = Schema.StructWithRest(Schema.Struct({ data: Schema.Struct({ collection: AnyObject }) }), [AnyObject])
const eventOf = Schema.decodeUnknownSync(Schema.fromJsonString(Event), { onExcessProperty: "error" })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Products of manual collections", (it) => {
  it.effect("a manual collection keeps the order of productIds and drops duplicates", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b, c] = yield* makeProducts(client, "A", "B", "C")
      const created = yield* client.post("/collections", { title: "Hand", productIds: [c, a, c, b, a?.toUpperCase()] })
      assert.strictEqual(created.status, 201)
      assert.deepInclude(dataOf(created), { type: "manual", productIds: [c, a, b], productCount: 3 })
      const path = `/collections/${dataOf(created)["id"]}`
      assert.strictEqual((yield* client.get(path)).text, created.text)

      const moved = dataOf(yield* client.patch(path, { productIds: [a, b, c] }))
      assert.deepInclude(moved, { productIds: [a, b, c], productCount: 3, version: 2 })
      const fewer = dataOf(yield* client.patch(path, { productIds: [b, b] }))
      assert.deepInclude(fewer, { productIds: [b], productCount: 1, version: 3 })
      const same = dataOf(yield* client.patch(path, { productIds: [b, b, b] }))
      assert.deepStrictEqual(same, fewer)
      const titled = dataOf(yield* client.patch(path, { title: "Still by hand" }))
      assert.deepInclude(titled, { productIds: [b], version: 4 })
      const none = dataOf(yield* client.patch(path, { productIds: [] }))
      assert.deepInclude(none, { productIds: [], productCount: 0, version: 5 })
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [none])
    })
  )

  it.effect("productIds that are not products of the store are rejected with 422 and one issue per id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const [ownId, deletedId] = yield* makeProducts(client, "Mine", "Gone")
      const [foreignId] = yield* makeProducts(other.client, "Theirs")
      yield* client.delete(`/products/${deletedId}`)
      const unknownId = randomUUID()
      const productIds = [ownId, foreignId, ownId, unknownId, deletedId, unknownId]
      const existing = dataOf(yield* client.post("/collections", { title: "Kept", productIds: [ownId] }))
      for (const refused of [
        yield* client.post("/collections", { title: "Hand", productIds }),
        yield* client.patch(`/collections/${existing["id"]}`, { title: "Changed", productIds })
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.deepStrictEqual(errorOf(refused).issues, [
          `productIds.1: ${foreignId} is not a product of this store`,
          `productIds.3: ${unknownId} is not a product of this store`,
          `productIds.4: ${deletedId} is not a product of this store`
        ])
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [existing])
    })
  )

  it.effect("productIds accepts at most 10,000 UUIDs, and a response lists at most 100 issues", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const malformed = yield* client.post("/collections", { title: "Hand", productIds: ["x", 1, null, randomUUID()] })
      assert.strictEqual(malformed.status, 400)
      const uuid = "must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057"
      assert.deepStrictEqual(
        errorOf(malformed).issues,
        [0, 1, 2].map((index) => `productIds.${index}: ${uuid}`)
      )
      const ids = Array.from({ length: 10_001 }, () => randomUUID())
      const tooMany = yield* client.post("/collections", { title: "Hand", productIds: ids })
      assert.strictEqual(tooMany.status, 400)
      const { id } = dataOf(yield* client.post("/collections", { title: "Hand" }))
      assert.strictEqual((yield* client.patch(`/collections/${id}`, { productIds: ids })).status, 400)
      assert.deepStrictEqual(errorOf(tooMany).issues, ["productIds: must be a list of at most 10,000 product ids"])
      const unknown = yield* client.post("/collections", { title: "Hand", productIds: ids.slice(1) })
      assert.strictEqual(unknown.status, 422)
      assert.strictEqual(errorOf(unknown).issues?.length, 100)
      assert.strictEqual(errorOf(unknown).issues?.at(-1), "9,901 more issues are not listed")
    })
  )

  it.effect("a repeated product id counts once towards the limit of 10,000", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b] = yield* makeProducts(client, "A", "B")
      const productIds = [b, ...Array.from({ length: 10_001 }, () => a)]
      const created = yield* client.post("/collections", { title: "Hand", productIds })
      assert.strictEqual(created.status, 201, created.text.slice(0, 300))
      assert.deepInclude(dataOf(created), { productIds: [b, a], productCount: 2 })
      const { id } = dataOf(yield* client.post("/collections", { title: "Other" }))
      const patched = dataOf(yield* client.patch(`/collections/${id}`, { productIds }))
      assert.deepInclude(patched, { productIds: [b, a], productCount: 2, version: 2 })
      const none = yield* client.post("/collections", { title: "Hand", productIds: a })
      assert.deepStrictEqual(errorOf(none).issues, ["productIds: must be a list of product ids"])
    })
  )

  it.effect("an automated collection ignores productIds, even more than 10,000", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const productIds = Array.from({ length: 10_001 }, () => randomUUID())
      const created = yield* client.post("/collections", { title: "All", rules: byName("A"), productIds })
      assert.strictEqual(created.status, 201)
      const { id } = dataOf(created)
      const renamed = yield* client.patch(`/collections/${id}`, { ...dataOf(created), title: "More", productIds })
      assert.strictEqual(renamed.status, 200, renamed.text.slice(0, 300))
      assert.deepInclude(dataOf(renamed), { title: "More", productIds: [], version: 2 })
    })
  )

  it.effect("deleting a product removes it from manual collections and keeps their version", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b, c] = yield* makeProducts(client, "A", "B", "C")
      const created = yield* client.post("/collections", { title: "Hand", productIds: [c, b, a] })
      const before = dataOf(created)
      const other = dataOf(yield* client.post("/collections", { title: "Other", productIds: [b] }))
      assert.strictEqual((yield* client.delete(`/products/${b}`)).status, 200)
      const read = yield* client.get(`/collections/${before["id"]}`)
      // The version is the same, but the entity tag differs, because the content changed.
      assert.match(read.headers.get("etag") ?? "", /^"1\.[0-9a-f]{16}"$/)
      assert.notStrictEqual(read.headers.get("etag"), created.headers.get("etag"))
      assert.deepStrictEqual(dataOf(read), { ...before, productIds: [c, a], productCount: 2 })
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [
        { ...before, productIds: [c, a], productCount: 2 },
        { ...other, productIds: [], productCount: 0 }
      ])
      const again = dataOf(yield* client.patch(`/collections/${before["id"]}`, { productIds: [c, a] }))
      assert.strictEqual(again["version"], 1)
    })
  )

  it.effect("the products of a manual collection do not depend on its rules or on isActive", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b] = yield* makeProducts(client, "A", "B")
      const body = { title: "Hand", type: "manual", rules: byName("A"), productIds: [b] }
      const created = dataOf(yield* client.post("/collections", body))
      assert.deepInclude(created, { ...body, productCount: 1 })
      yield* client.patch(`/products/${b}`, { isActive: false, name: "A" })
      yield* client.patch(`/products/${a}`, { name: "C" })
      assert.deepStrictEqual(dataOf(yield* client.get(`/collections/${created["id"]}`)), created)
      const withRules = dataOf(yield* client.patch(`/collections/${created["id"]}`, { rules: byName("C") }))
      assert.deepInclude(withRules, { type: "manual", productIds: [b], version: 2 })
    })
  )
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Type changes of a collection", (it) => {
  it.effect("changing the type to automated removes the manual products permanently", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b] = yield* makeProducts(client, "A", "B")
      const path = `/collections/${dataOf(yield* client.post("/collections", { title: "Hand", productIds: [b, a] }))["id"]}`
      const empty = dataOf(yield* client.patch(path, { type: "automated" }))
      assert.deepInclude(empty, { type: "automated", productIds: [], productCount: 0, version: 2 })
      const back = dataOf(yield* client.patch(path, { type: "manual" }))
      assert.deepInclude(back, { type: "manual", productIds: [], version: 3 })
      yield* client.patch(path, { productIds: [a] })
      const withRules = dataOf(yield* client.patch(path, { type: "automated", rules: byName("B"), productIds: [a] }))
      assert.deepInclude(withRules, { type: "automated", productIds: [b], version: 5 })
      assert.deepInclude(dataOf(yield* client.get(path)), { productIds: [b], productCount: 1 })
    })
  )

  it.effect("changing the type to manual without productIds keeps the current matches", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, , c] = yield* makeProducts(client, "A", "B", "C")
      const path = `/collections/${dataOf(yield* client.post("/collections", { title: "Rules", rules: byName("C", "A", "D") }))["id"]}`
      const manual = dataOf(yield* client.patch(path, { type: "manual" }))
      assert.deepInclude(manual, { type: "manual", productIds: [a, c], productCount: 2, version: 2 })
      yield* makeProducts(client, "D")
      yield* client.patch(`/products/${a}`, { name: "No longer A" })
      assert.deepStrictEqual(dataOf(yield* client.get(path)), manual)
      const automated = dataOf(yield* client.patch(path, { type: "automated" }))
      assert.deepInclude(automated, { rules: byName("C", "A", "D"), productCount: 2 })
      assert.notDeepEqual(automated["productIds"], manual["productIds"])
      const matched = dataOf(yield* client.patch(path, { type: "manual", rules: byName("B") }))
      assert.deepStrictEqual(matched["productIds"], automated["productIds"])
    })
  )

  it.effect("changing the type to manual with productIds sets these products in order, even none", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const [a, b, c] = yield* makeProducts(client, "A", "B", "C")
      for (const productIds of [[c, a], [b], []]) {
        const created = dataOf(yield* client.post("/collections", { title: "Rules", rules: byName("A", "B") }))
        assert.deepStrictEqual(created["productIds"], [a, b])
        const path = `/collections/${created["id"]}`
        const refused = yield* client.patch(path, { type: "manual", productIds: [randomUUID()] })
        assert.strictEqual(refused.status, 422)
        assert.deepStrictEqual(dataOf(yield* client.get(path)), created)
        const manual = dataOf(yield* client.patch(path, { type: "manual", productIds }))
        assert.deepInclude(manual, { type: "manual", productIds, productCount: productIds.length, version: 2 })
      }
    })
  )
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Collection events", (it) => {
  it.effect("each create or change emits an event with the committed state; deletes and no-ops emit none", () =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      const sql = yield* SqlClient.SqlClient
      const [a, b] = yield* makeProducts(client, "A", "B")
      const manual = dataOf(yield* client.post("/collections", { title: "Hand", productIds: [b, a] }))
      const moved = dataOf(yield* client.patch(`/collections/${manual["id"]}`, { productIds: [a] }))
      const rules = dataOf(yield* client.post("/collections", { title: "Rules", rules: byName("A") }))
      const renamed = dataOf(yield* client.patch(`/collections/${rules["id"]}`, { title: "Ruled" }))
      // None of these requests creates or changes a collection.
      yield* client.patch(`/collections/${manual["id"]}`, { productIds: [a, a] })
      yield* client.patch(`/collections/${rules["id"]}`, { productIds: [b] })
      yield* client.patch(`/collections/${rules["id"]}`, { rules: [{ field: "nope" }] })
      yield* client.post("/collections", { title: "Refused", productIds: [randomUUID()] })
      yield* client.delete(`/products/${a}`)
      yield* client.delete(`/collections/${manual["id"]}`)
      yield* client.delete(`/collections/${rules["id"]}`)

      const rows = yield* sql<{ readonly payload: string }>`
        select payload from events where store_id = ${storeId} and kind = 'catalog.collection.updated.v1' order by id
      `
      const events = rows.map(({ payload }) => eventOf(payload))
      const expected = [manual, moved, rules, renamed].map((collection) => ({
        kind: "catalog.collection.updated.v1",
        occurredAt: collection["updatedAt"],
        storeId,
        actor: { type: "app" },
        originInstallationId: installation.id
      }))
      assert.strictEqual(events.length, 4)
      events.forEach(({ data, ...envelope }, index) => {
        assert.deepInclude(envelope, expected[index] ?? {})
        assert.strictEqual(data.collection["version"], (index % 2) + 1)
      })
      const [first, second, third, fourth] = events.map(({ data }) => data.collection)
      assert.deepStrictEqual(first, manual)
      assert.deepStrictEqual(second, moved)
      for (const [payload, collection] of [
        [third, rules],
        [fourth, renamed]
      ] as const) {
        const { productIds: _, ...rest } = collection
        assert.deepInclude({ productCount: rest["productCount"], ...payload }, rest)
        assert.notProperty(payload, "productIds")
      }
    })
  )
})
