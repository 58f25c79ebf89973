import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ALL_RELATIONS, NAMES, RELATIONS_OF, rightValue, VALUES } from "../../data/RuleTable.ts"
import { type Client, ApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"

const makeProduct = (client: Client, body: object) =>
  Effect.map(client.post("/products", body), (made) => String(dataOf(made)["id"]))

const makeCollection = (client: Client, body: object) =>
  Effect.map(client.post("/collections", { title: "Automated", type: "automated", ...body }), dataOf)

const oak = { field: "tag", relation: "equals", value: "oak" }
const cheap = { field: "price", relation: "less_than", value: 100 }

const chunksOf = <A>(size: number, all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("An automated collection", (it) => {
  it.effect("holds its matches from the first answer on, ascending by id, active or not", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* makeProduct(client, { name: "Zebra table", tags: ["Oak"] })
      yield* makeProduct(client, { name: "Chair", tags: ["ash"] })
      const second = yield* makeProduct(client, { name: "Aardvark desk", tags: ["x", "OAK"], isActive: false })
      const created = yield* client.post("/collections", { title: "Oak", rules: [oak] })
      assert.strictEqual(created.status, 201)
      assert.isBelow(first.localeCompare(second), 0)
      assert.deepInclude(dataOf(created), {
        type: "automated",
        productIds: [first, second],
        productCount: 2,
        rules: [oak]
      })
      assert.strictEqual((yield* client.get(`/collections/${dataOf(created)["id"]}`)).text, created.text)
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [dataOf(created)])
    })
  )

  it.effect("is never stale: products come and go with every create, change and delete of theirs", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const empty = yield* makeCollection(client, { rules: [oak, cheap] })
      const path = `/collections/${empty["id"]}`
      assert.deepInclude(empty, { productIds: [], productCount: 0 })
      const holds = (...productIds: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const read = yield* client.get(path)
          assert.deepStrictEqual(dataOf(read), { ...empty, productIds, productCount: productIds.length })
          assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [dataOf(read)])
          assert.match(read.headers.get("etag") ?? "", /^"1\.[0-9a-f]{16}"$/)
        })
      const desk = yield* makeProduct(client, { name: "Desk", tags: ["oak"], price: 99 })
      yield* holds(desk)
      const table = yield* makeProduct(client, { name: "Table", tags: ["oak"], price: 100 })
      yield* holds(desk)
      yield* client.patch(`/products/${table}`, { price: 99.99 })
      yield* holds(desk, table)
      yield* client.patch(`/products/${desk}`, { tags: ["ash"] })
      yield* holds(table)
      yield* client.patch(`/products/${desk}`, { tags: ["ash", " oAK "] })
      yield* holds(desk, table)
      yield* client.delete(`/products/${table}`)
      yield* holds(desk)
      yield* client.patch(`/products/${desk}`, { isActive: false })
      yield* holds(desk)
      yield* client.patch(`/products/${desk}`, { tags: [] })
      yield* holds()
      const stool = yield* makeProduct(client, { name: "Stool", price: 5 })
      yield* holds()
      yield* client.patch(`/products/${stool}`, { tags: ["ash", "oak"] })
      yield* holds(stool)
    })
  )

  it.effect("goes by its new rules as soon as they change", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const desk = yield* makeProduct(client, { name: "Desk", tags: ["oak"], price: 500 })
      const stool = yield* makeProduct(client, { name: "Stool", tags: ["ash"], price: 20 })
      const path = `/collections/${(yield* makeCollection(client, { rules: [oak] }))["id"]}`
      const patched = (body: object) => Effect.map(client.patch(path, body), (answer) => dataOf(answer)["productIds"])
      assert.deepStrictEqual(yield* patched({ rules: [cheap] }), [stool])
      assert.deepStrictEqual(yield* patched({ rules: [oak, cheap] }), [])
      assert.deepStrictEqual(yield* patched({ disjunctive: true }), [desk, stool])
      assert.deepStrictEqual(yield* patched({ disjunctive: false }), [])
      assert.deepStrictEqual(yield* patched({ rules: [] }), [])
      assert.deepStrictEqual(dataOf(yield* client.get(path))["version"], 6)
    })
  )

  it.effect("holds nothing without rules, whether they would have to match all or any", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* makeProduct(client, { name: "Desk" })
      for (const body of [{}, { rules: [] }, { rules: [], disjunctive: true }]) {
        assert.deepInclude(yield* makeCollection(client, body), { type: "automated", productIds: [], productCount: 0 })
      }
    })
  )

  it.effect("asks every rule of a product, or any of them when disjunctive", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const both = yield* makeProduct(client, { name: "Both", tags: ["oak"], price: 1 })
      const onlyOak = yield* makeProduct(client, { name: "Oak", tags: ["oak"], price: 1000 })
      const onlyCheap = yield* makeProduct(client, { name: "Cheap", price: 1 })
      const neither = yield* makeProduct(client, { name: "Neither", price: 1000 })
      const found = (body: object) => Effect.map(makeCollection(client, body), ({ productIds }) => productIds)
      assert.deepStrictEqual(yield* found({ rules: [oak, cheap] }), [both])
      assert.deepStrictEqual(yield* found({ rules: [oak, cheap], disjunctive: false }), [both])
      assert.deepStrictEqual(yield* found({ rules: [oak, cheap], disjunctive: true }), [both, onlyOak, onlyCheap])
      const notOak = { ...oak, relation: "not_equals" }
      assert.deepStrictEqual(yield* found({ rules: [notOak, cheap] }), [onlyCheap])
      assert.deepStrictEqual(yield* found({ rules: [notOak, cheap], disjunctive: true }), [both, onlyCheap, neither])
      // Two fields that an index answers together, and one of them with a rule that it does not.
      const category = { field: "category", relation: "equals", value: "none" }
      assert.deepStrictEqual(yield* found({ rules: [oak, category], disjunctive: true }), [both, onlyOak])
      assert.deepStrictEqual(yield* found({ rules: [oak, category] }), [])
    })
  )

  it.effect("ignores productIds in a body, on create and on update", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const desk = yield* makeProduct(client, { name: "Desk", tags: ["oak"] })
      const stool = yield* makeProduct(client, { name: "Stool" })
      const created = yield* makeCollection(client, { rules: [oak], productIds: [stool, randomUUID()] })
      assert.deepStrictEqual(created["productIds"], [desk])
      const patched = yield* client.patch(`/collections/${created["id"]}`, { productIds: [stool, randomUUID()] })
      assert.strictEqual(patched.status, 200)
      assert.deepStrictEqual(dataOf(patched), created)
    })
  )

  it.effect("holds products of its own store only", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const mine = yield* makeProduct(client, { name: "Desk", tags: ["oak"] })
      yield* makeProduct(other.client, { name: "Desk", tags: ["oak"] })
      for (const rules of [[oak], [{ field: "title", relation: "contains", value: "desk" }]]) {
        for (const disjunctive of [false, true]) {
          assert.deepStrictEqual((yield* makeCollection(client, { rules, disjunctive }))["productIds"], [mine])
        }
      }
    })
  )

  it.effect("takes up to 60 rules, and applies each of them", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const names = Array.from({ length: 60 }, (_, index) => `Product ${index}`)
      const rules = names.map((value) => ({ field: "title", relation: "equals", value }))
      const ids = yield* Effect.all([
        makeProduct(client, { name: "product 0" }),
        makeProduct(client, { name: "Product 30" }),
        makeProduct(client, { name: "PRODUCT 59" }),
        makeProduct(client, { name: "Product 60" })
      ])
      const any = yield* makeCollection(client, { rules, disjunctive: true })
      assert.deepStrictEqual(any["productIds"], ids.slice(0, 3))
      const none = rules.map((rule) => ({ ...rule, relation: "not_equals" }))
      assert.deepStrictEqual((yield* makeCollection(client, { rules: none }))["productIds"], ids.slice(3))
      const body = { title: "Too many", rules: [...rules, oak] }
      for (const refused of [
        yield* client.post("/collections", body),
        yield* client.patch(`/collections/${any["id"]}`, body)
      ]) {
        assert.strictEqual(refused.status, 400)
        assert.deepStrictEqual(errorOf(refused).issues, ["rules: must be a list of at most 60 items"])
      }
    })
  )

  it.effect("takes every legal relation of every field, and keeps the rules as sent", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const legal = NAMES.flatMap(({ kind, name }) =>
        RELATIONS_OF[kind].map((relation) => ({ field: name, relation, value: rightValue(kind, relation) }))
      )
      for (const rules of chunksOf(60, legal)) {
        const created = yield* client.post("/collections", { title: "Legal", rules })
        assert.strictEqual(created.status, 201, created.text)
        assert.deepStrictEqual(dataOf(created)["rules"], rules)
      }
    })
  )

  it.effect("refuses every other relation and every value of another kind, and says what is allowed", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const relations = NAMES.flatMap(({ kind, name }) =>
        [...ALL_RELATIONS, "is"]
          .filter((relation) => !RELATIONS_OF[kind].includes(relation))
          .map((relation) => ({
            rule: { field: name, relation, value: rightValue(kind, relation) },
            says: new RegExp(`\\.relation: must be one of ${RELATIONS_OF[kind][0]}, .* for the field ${name}$`)
          }))
      )
      const wanted = { text: "text", number: "a number", time: "a time of RFC 3339", boolean: "true or false" }
      const values = NAMES.flatMap(({ kind, name }) => [
        ...VALUES[kind].wrong.map((value) => ({
          rule: { field: name, relation: "equals", value },
          says: new RegExp(`\\.value: must be ${wanted[kind]}`)
        })),
        ...(kind === "boolean" ? [] : [VALUES[kind].right, [], null]).map((value) => ({
          rule: { field: name, relation: "in", value },
          says: new RegExp(`\\.value: must be a list of 1 to 250 values, each ${wanted[kind]}`)
        }))
      ])
      const fields = ["", "Price", "nonsense", "metafields.a", "constructor"].map((field) => ({
        rule: { field, relation: "equals", value: 1 },
        says: /\.field: must be one of .*title.*variant\.price.*trackInventory.*updatedAt.*vendor/
      }))
      for (const wrong of chunksOf(60, [...relations, ...values, ...fields])) {
        const refused = yield* client.post("/collections", { title: "Illegal", rules: wrong.map(({ rule }) => rule) })
        assert.strictEqual(refused.status, 400)
        const issues = errorOf(refused).issues ?? []
        assert.strictEqual(issues.length, wrong.length)
        wrong.forEach(({ rule, says }, index) => {
          assert.isTrue(issues[index]?.startsWith(`rules.${index}.`), JSON.stringify(rule))
          assert.match(issues[index] ?? "", says, JSON.stringify(rule))
        })
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [])
    })
  )
})
