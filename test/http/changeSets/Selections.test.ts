import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { CollectionId } from "../../../src/domain/catalog/Collection.ts"
import { type Client, dataOf, freshClient, install, makeStore, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, previewed, resultsOf, undone } from "../../support/http/ChangeSets.ts"

const ALL = { rules: [] }

const createAll = (client: Client, products: ReadonlyArray<object>) =>
  Effect.forEach(products, (product) => Effect.map(client.post("/products", product), dataOf))

/** Applies a change to all products that rules match. */
const change = Effect.fn(function* (client: Client, change: object, where: object = ALL) {
  const { id } = yield* previewed(client, { mode: "each", where, change })
  return yield* applied(client, id)
})

const valuesOf = (client: Client, ...members: ReadonlyArray<string>) =>
  Effect.map(client.get("/products?limit=200"), (answer) =>
    pageOf(answer).items.map((product) => members.map((member) => product[member]))
  )

const tag = (name: string) => ({ tags: { add: [name] } })

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Changes of selected products", (it) => {
  it.effect("rules select the products as they do for automated collections, all or any of them", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* createAll(client, [
        { name: "A", price: 1, vendorName: "Nord" },
        { name: "B", price: 9, vendorName: "Nord" },
        { name: "C", price: 9, vendorName: "Sud" },
        { name: "D", price: 1, vendorName: "Sud" }
      ])
      const rules = [
        { field: "price", relation: "greater_than", value: 5 },
        { field: "vendorName", relation: "equals", value: "Nord" }
      ]
      assert.deepInclude((yield* change(client, tag("both"), { rules })).counts, { total: 1, changed: 1 })
      assert.deepInclude((yield* change(client, tag("any"), { rules, disjunctive: true })).counts, { total: 3 })
      assert.deepInclude((yield* change(client, tag("all"))).counts, { total: 4, changed: 4 })
      assert.deepStrictEqual(yield* valuesOf(client, "name", "tags"), [
        ["A", ["any", "all"]],
        ["B", ["both", "any", "all"]],
        ["C", ["any", "all"]],
        ["D", ["all"]]
      ])
    })
  )

  it.effect("rules that match nothing make a set without operations", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* createAll(client, [{ name: "A" }])
      const set = yield* change(
        client,
        { delete: true },
        { rules: [{ field: "title", relation: "equals", value: "Z" }] }
      )
      assert.deepInclude(set, { state: "applied", counts: { total: 0, changed: 0, unchanged: 0, refused: 0 } })
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 1)
    })
  )

  it.effect(
    "ids select the products; one that is named twice counts once, and one of no product of the store is refused",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const created = yield* createAll(client, [{ name: "A", price: 10 }, { name: "B", price: 20 }, { name: "C" }])
        const [a = "", b = ""] = created.map(({ id }) => String(id))
        const [foreign = {}] = yield* createAll((yield* freshClient()).client, [{ name: "D", price: 5 }])
        const unknown = randomUUID()
        const where = { ids: [b, a, unknown, b.toUpperCase(), String(foreign["id"])] }
        const ready = yield* previewed(client, { mode: "each", where, change: { price: { percent: -10 } } })
        assert.deepInclude(ready, { where: null, counts: { total: 4, changed: 2, unchanged: 0, refused: 2 } })
        const set = yield* applied(client, ready.id)
        assert.deepInclude(set, { state: "applied", counts: ready.counts })
        const results = yield* resultsOf(client, set.id)
        assert.deepStrictEqual(
          results.map(({ id, outcome }) => [id, outcome]),
          [
            [b, "updated"],
            [a, "updated"],
            [unknown, "refused"],
            [foreign["id"], "refused"]
          ]
        )
        for (const { error } of results.slice(2)) assert.match(error ?? "", /was not found/)
        assert.deepStrictEqual((yield* valuesOf(client, "price")).flat(), [9, 18, 0])

        const deleted = yield* change(client, { delete: true }, where)
        assert.deepInclude(deleted.counts, { total: 4, changed: 2, refused: 2 })
        assert.deepStrictEqual(yield* valuesOf(client, "name"), [["C"]])
        yield* undone(client, deleted.id)
        assert.deepStrictEqual((yield* valuesOf(client, "price")).flat(), [9, 18, 0])
      })
  )

  const numbers: ReadonlyArray<readonly [string, object, ReadonlyArray<number>]> = [
    ["set replaces the number", { set: 7.5 }, [7.5, 7.5, 7.5]],
    ["add adds exactly, as decimals", { add: 0.2 }, [10.2, 0.3, 19.99]],
    ["percent rounds half up to 0.01", { percent: -12.5 }, [8.75, 0.09, 17.32]],
    ["percent with round rounds to a multiple", { percent: -10, round: 0.05 }, [9, 0.1, 17.8]],
    ["add with round rounds the result", { add: 0.33, round: 0.5 }, [10.5, 0.5, 20]],
    ["a percent of -100 is 0", { percent: -100 }, [0, 0, 0]]
  ]
  for (const [title, price, expected] of numbers) {
    it.effect(`price: ${title}`, () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        yield* createAll(client, [
          { name: "A", price: 10 },
          { name: "B", price: 0.1 },
          { name: "C", price: 19.79 }
        ])
        yield* change(client, { price })
        assert.deepStrictEqual((yield* valuesOf(client, "price")).flat(), [...expected])
      })
    )
  }

  it.effect("a number below 0 refuses the operation of its product, with the current value", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* createAll(client, [
        { name: "A", price: 10, stock: 1 },
        { name: "B", price: 2, stock: 0 }
      ])
      const set = yield* change(client, { price: { add: -5 } })
      assert.deepInclude(set.counts, { total: 2, changed: 1, unchanged: 0, refused: 1 })
      const [, refused] = yield* resultsOf(client, set.id)
      assert.match(refused?.error ?? "", /The price is 2; after the change it must be from 0/)
      assert.deepInclude((yield* change(client, { stock: { add: -1 } })).counts, { changed: 1, refused: 1 })
      assert.deepStrictEqual(yield* valuesOf(client, "price", "stock"), [
        [5, 0],
        [2, 0]
      ])
    })
  )

  it.effect("discountedPrice starts from the price if there is none; a patch can clear it", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* createAll(client, [
        { name: "A", price: 10, discountedPrice: 8 },
        { name: "B", price: 20 }
      ])
      yield* change(client, { discountedPrice: { percent: -50 } })
      assert.deepStrictEqual(yield* valuesOf(client, "price", "discountedPrice"), [
        [10, 4],
        [20, 10]
      ])
      yield* change(client, { patch: { discountedPrice: null, vendorName: "Nord" } })
      assert.deepStrictEqual(yield* valuesOf(client, "discountedPrice", "vendorName"), [
        [null, "Nord"],
        [null, "Nord"]
      ])
    })
  )

  it.effect(
    "tags are compared without case: a product keeps its spelling, and unchanged products stay as they are",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        yield* createAll(client, [
          { name: "A", tags: ["Sale", "old"] },
          { name: "B", tags: ["SALE", "new"] },
          { name: "C" }
        ])
        const set = yield* change(client, { tags: { add: ["sale"], remove: ["OLD"] } })
        assert.deepInclude(set.counts, { total: 3, changed: 2, unchanged: 1 })
        assert.deepStrictEqual(yield* valuesOf(client, "tags", "version"), [
          [["Sale"], 2],
          [["SALE", "new"], 1],
          [["sale"], 2]
        ])
      })
  )

  it.effect("collections: all matches enter manual collections or leave them, one operation for each collection", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const products = yield* createAll(client, [
        { name: "A", price: 1 },
        { name: "B", price: 9 },
        { name: "C", price: 9 }
      ])
      const [a, b, c] = products.map(({ id }) => String(id))
      const makeCollection = (title: string, productIds: ReadonlyArray<unknown>) =>
        Effect.map(client.post("/collections", { title, productIds }), (answer) => String(dataOf(answer)["id"]))
      const membersOf = (id: string) =>
        Effect.map(client.get(`/collections/${id}`), (answer) => dataOf(answer)["productIds"])
      const [sale, old] = [yield* makeCollection("Sale", [b]), yield* makeCollection("Old", [a, c])]
      const where = { rules: [{ field: "price", relation: "greater_than", value: 5 }] }
      const edit = { collections: { add: [sale], remove: [old] } }
      const ready = yield* previewed(client, { mode: "each", where, change: edit })
      assert.deepInclude(ready.counts, { total: 2, changed: 2, refused: 0 })
      assert.deepStrictEqual(ready.preview?.fields, [{ field: "productIds", count: 2 }])
      assert.sameDeepMembers(
        [...(ready.preview?.collections ?? [])],
        [
          { id: CollectionId.make(sale), title: "Sale", enters: 1, leaves: 0 },
          { id: CollectionId.make(old), title: "Old", enters: 0, leaves: 1 }
        ]
      )
      yield* applied(client, ready.id)
      assert.deepStrictEqual([yield* membersOf(sale), yield* membersOf(old)], [[b, c], [a]])
      yield* undone(client, ready.id)
      assert.deepStrictEqual([yield* membersOf(sale), yield* membersOf(old)], [[b], [a, c]])

      const byId = yield* change(client, { collections: { add: [sale] } }, { ids: [a] })
      assert.deepInclude(byId.counts, { total: 1, changed: 1 })
      assert.deepStrictEqual(yield* membersOf(sale), [b, a])
      const nothing = yield* change(client, edit, { rules: [{ field: "title", relation: "equals", value: "Z" }] })
      assert.deepInclude(nothing, { state: "applied", counts: { total: 0, changed: 0, unchanged: 0, refused: 0 } })
      const empty = yield* client.post("/change-sets", { mode: "each", where, change: { collections: { add: [] } } })
      assert.strictEqual(empty.status, 400)
      assert.match(empty.text, /at least one collection/)
    })
  )

  it.effect("collections need write_collections", () =>
    Effect.gen(function* () {
      const { client } = yield* install(yield* makeStore(), { scopes: ["write_products"] })
      const refused = yield* client.post("/change-sets", {
        mode: "each",
        where: ALL,
        change: { collections: { add: [randomUUID()] } }
      })
      assert.strictEqual(refused.status, 403)
      assert.match(refused.text, /write_collections/)
    })
  )

  it.effect("delete deletes the products; its undo restores them with their ids and collections", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const products = yield* createAll(client, [{ name: "A" }, { name: "B" }])
      const productIds = products.map(({ id }) => id)
      const collection = dataOf(yield* client.post("/collections", { title: "Both", productIds }))
      const set = yield* change(client, { delete: true })
      assert.deepInclude(set.preview, { deleted: 2, updated: 0, events: [] })
      assert.deepStrictEqual(yield* valuesOf(client, "id"), [])
      yield* undone(client, set.id)
      assert.sameMembers((yield* valuesOf(client, "id")).flat(), productIds)
      const restored = dataOf(yield* client.get(`/collections/${String(collection["id"])}`))
      assert.sameMembers(Object(restored["productIds"]), productIds)
    })
  )
})
