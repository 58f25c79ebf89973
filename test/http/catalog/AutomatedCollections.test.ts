import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ALL_RELATIONS, NAMES, RELATIONS_OF, rightValue, VALUES } from "../../data/RuleTable.ts"
import { type Client, ApiTest, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"

const makeProduct = (client: Client, body: object) =>
  Effect.map(client.post("/products", body), (created) => String(dataOf(created)["id"]))

const makeCollection = (client: Client, body: object) =>
  Effect.map(client.post("/collections", { title: "Automated", type: "automated", ...body }), dataOf)

const oak = { field: "tag", relation: "equals", value: "oak" }
const cheap = { field: "price", relation: "less_than", value: 100 }

const chunksOf = <A>(size: number, all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Automated collections", (it) => {
  it.effect("the create response lists all matching products by ascending id, including inactive ones", () =>
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

  it.effect("a write of a product updates the members at once and keeps the version of the collection", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const empty = yield* makeCollection(client, { rules: [oak, cheap] })
      const path = `/collections/${empty["id"]}`
      assert.deepInclude(empty, { productIds: [], productCount: 0 })
      const assertMembers = (...productIds: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const read = yield* client.get(path)
          assert.deepStrictEqual(dataOf(read), { ...empty, productIds, productCount: productIds.length })
          assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [dataOf(read)])
          assert.match(read.headers.get("etag") ?? "", /^"1\.[0-9a-f]{16}"$/)
        })
      const desk = yield* makeProduct(client, { name: "Desk", tags: ["oak"], price: 99 })
      yield* assertMembers(desk)
      const table = yield* makeProduct(client, { name: "Table", tags: ["oak"], price: 100 })
      yield* assertMembers(desk)
      yield* client.patch(`/products/${table}`, { price: 99.99 })
      yield* assertMembers(desk, table)
      yield* client.patch(`/products/${desk}`, { tags: ["ash"] })
      yield* assertMembers(table)
      yield* client.patch(`/products/${desk}`, { tags: ["ash", " oAK "] })
      yield* assertMembers(desk, table)
      yield* client.delete(`/products/${table}`)
      yield* assertMembers(desk)
      yield* client.patch(`/products/${desk}`, { isActive: false })
      yield* assertMembers(desk)
      yield* client.patch(`/products/${desk}`, { tags: [] })
      yield* assertMembers()
      const stool = yield* makeProduct(client, { name: "Stool", price: 5 })
      yield* assertMembers()
      yield* client.patch(`/products/${stool}`, { tags: ["ash", "oak"] })
      yield* assertMembers(stool)
    })
  )

  it.effect("a patch of rules or disjunctive returns the new members", () =>
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

  it.effect("a collection without rules is empty, whether disjunctive or not", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* makeProduct(client, { name: "Desk" })
      for (const body of [{}, { rules: [] }, { rules: [], disjunctive: true }]) {
        assert.deepInclude(yield* makeCollection(client, body), { type: "automated", productIds: [], productCount: 0 })
      }
    })
  )

  it.effect("a product must match all rules, or any rule if disjunctive is true", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const both = yield* makeProduct(client, { name: "Both", tags: ["oak"], price: 1 })
      const onlyOak = yield* makeProduct(client, { name: "Oak", tags: ["oak"], price: 1000 })
      const onlyCheap = yield* makeProduct(client, { name: "Cheap", price: 1 })
      const neither = yield* makeProduct(client, { name: "Neither", price: 1000 })
      const matchesOf = (body: object) => Effect.map(makeCollection(client, body), ({ productIds }) => productIds)
      assert.deepStrictEqual(yield* matchesOf({ rules: [oak, cheap] }), [both])
      assert.deepStrictEqual(yield* matchesOf({ rules: [oak, cheap], disjunctive: false }), [both])
      assert.deepStrictEqual(yield* matchesOf({ rules: [oak, cheap], disjunctive: true }), [both, onlyOak, onlyCheap])
      const notOak = { ...oak, relation: "not_equals" }
      assert.deepStrictEqual(yield* matchesOf({ rules: [notOak, cheap] }), [onlyCheap])
      assert.deepStrictEqual(yield* matchesOf({ rules: [notOak, cheap], disjunctive: true }), [
        both,
        onlyCheap,
        neither
      ])
      // One index contains both tags and categories.
      const category = { field: "category", relation: "equals", value: "none" }
      assert.deepStrictEqual(yield* matchesOf({ rules: [oak, category], disjunctive: true }), [both, onlyOak])
      assert.deepStrictEqual(yield* matchesOf({ rules: [oak, category] }), [])
    })
  )

  it.effect("rules match only products of the same store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const product = yield* makeProduct(client, { name: "Desk", tags: ["oak"] })
      yield* makeProduct(other.client, { name: "Desk", tags: ["oak"] })
      for (const rules of [[oak], [{ field: "title", relation: "contains", value: "desk" }]]) {
        for (const disjunctive of [false, true]) {
          assert.deepStrictEqual((yield* makeCollection(client, { rules, disjunctive }))["productIds"], [product])
        }
      }
    })
  )

  it.effect("a collection applies up to 60 rules, and more are rejected with 400", () =>
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
      const negated = rules.map((rule) => ({ ...rule, relation: "not_equals" }))
      assert.deepStrictEqual((yield* makeCollection(client, { rules: negated }))["productIds"], ids.slice(3))
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

  it.effect("every valid relation of every field is accepted and returned as sent", () =>
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

  it.effect("invalid fields, relations and values are rejected with one issue each that lists what is allowed", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const relations = NAMES.flatMap(({ kind, name }) =>
        [...ALL_RELATIONS, "is"]
          .filter((relation) => !RELATIONS_OF[kind].includes(relation))
          .map((relation) => ({
            rule: { field: name, relation, value: rightValue(kind, relation) },
            issue: new RegExp(`\\.relation: must be one of ${RELATIONS_OF[kind][0]}, .* for the field ${name}$`)
          }))
      )
      const typeNames = { text: "text", number: "a number", time: "a time of RFC 3339", boolean: "true or false" }
      const values = NAMES.flatMap(({ kind, name }) => [
        ...VALUES[kind].wrong.map((value) => ({
          rule: { field: name, relation: "equals", value },
          issue: new RegExp(`\\.value: must be ${typeNames[kind]}`)
        })),
        ...(kind === "boolean" ? [] : [VALUES[kind].right, [], null]).map((value) => ({
          rule: { field: name, relation: "in", value },
          issue: new RegExp(`\\.value: must be a list of 1 to 250 values, each ${typeNames[kind]}`)
        }))
      ])
      const fields = ["", "Price", "nonsense", "metafields.a", "constructor"].map((field) => ({
        rule: { field, relation: "equals", value: 1 },
        issue: /\.field: must be one of .*title.*variant\.price.*trackInventory.*updatedAt.*vendor/
      }))
      for (const invalid of chunksOf(60, [...relations, ...values, ...fields])) {
        const refused = yield* client.post("/collections", { title: "Illegal", rules: invalid.map(({ rule }) => rule) })
        assert.strictEqual(refused.status, 400)
        const issues = errorOf(refused).issues ?? []
        assert.strictEqual(issues.length, invalid.length)
        invalid.forEach(({ rule, issue }, index) => {
          assert.isTrue(issues[index]?.startsWith(`rules.${index}.`), JSON.stringify(rule))
          assert.match(issues[index] ?? "", issue, JSON.stringify(rule))
        })
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/collections")).items, [])
    })
  )
})
