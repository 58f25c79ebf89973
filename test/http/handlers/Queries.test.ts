import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { type Answer, ApiTest, errorOf, freshClient, install, pageOf } from "../../support/http/Api.ts"
import { itemsOf, readAll, search, valuesOf } from "../../support/http/Queries.ts"
import { freshMember } from "../../support/rpc/Rpc.ts"

const issuesOf = (answer: Answer) => {
  assert.strictEqual(answer.status, 400, answer.text)
  return errorOf(answer).issues ?? []
}

const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url")
const line = (unitPrice: number) => [{ name: "Cup", quantity: 1, unitPrice }]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Queries", (it) => {
  it.effect(
    "GET /products/search filters by rules and search, sorts, and returns whole products of the store only",
    () =>
      Effect.gen(function* () {
        const [{ client }, other] = [yield* freshClient(), yield* freshClient()]
        for (const [name, price, tags] of [
          ["Oak desk", 30, ["oak"]],
          ["Ash desk", 20, ["ash"]],
          ["Oak shelf", 10, ["oak"]]
        ] as const) {
          yield* client.post("/products", { name, price, tags, sku: `${name.slice(0, 3)}-${price}` })
        }
        yield* other.client.post("/products", { name: "Oak chair", tags: ["oak"] })
        const listed = pageOf(yield* client.get("/products")).items
        const oak = [{ field: "tags", relation: "equals", value: "oak" }]
        const cheap = { field: "price", relation: "less_than", value: 25 }
        const cases = [
          [{}, "Oak shelf,Ash desk,Oak desk"],
          [{ rules: [] }, "Oak shelf,Ash desk,Oak desk"],
          [{ rules: oak, sort: "price" }, "Oak shelf,Oak desk"],
          [{ rules: [...oak, cheap] }, "Oak shelf"],
          [{ rules: [...oak, cheap], disjunctive: true, sort: "-name" }, "Oak shelf,Oak desk,Ash desk"],
          [{ search: "des", sort: "name" }, "Ash desk,Oak desk"],
          [{ search: "oak-1" }, "Oak shelf"],
          [{ search: "oka" }, ""],
          [{ search: "des", rules: oak }, "Oak desk"]
        ] as const
        for (const [parameters, names] of cases) {
          const answer = yield* search(client, "products", parameters)
          const items = itemsOf(answer)
          assert.strictEqual(items.map(({ name }) => name).join(), names, JSON.stringify(parameters))
          assert.propertyVal(answer.json, "total", items.length)
          for (const item of items) assert.deepInclude(listed, item)
        }
      })
  )

  it.effect("a limit counts as at most 200, and a page ends early when it exceeds 1 MiB", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const name of ["a", "b", "c"]) {
        yield* client.post("/products", { name, metafields: { text: "x".repeat(600_000) } })
      }
      const first = yield* search(client, "products", { sort: "name", limit: 1000 })
      assert.strictEqual(valuesOf(itemsOf(first), "name"), "a b")
      const cursor = pageOf(first).nextCursor
      const rest = yield* search(client, "products", { sort: "name", cursor: cursor ?? "" })
      assert.strictEqual(valuesOf(itemsOf(rest), "name"), "c")
      assert.isNull(pageOf(rest).nextCursor)
      assert.deepStrictEqual(issuesOf(yield* search(client, "products", { limit: "0" })), [
        "limit: must be an integer of at least 1"
      ])
    })
  )

  it.effect("a cursor of another filter, sort order or store, or of no page, is refused with advice", () =>
    Effect.gen(function* () {
      const [{ client }, other] = [yield* freshClient(), yield* freshClient()]
      for (const name of ["a", "b", "c"]) yield* client.post("/products", { name, tags: ["oak"] })
      const rules = [{ field: "tags", relation: "equals", value: "oak" }]
      const { nextCursor } = pageOf(yield* search(client, "products", { rules, sort: "name", limit: 1 }))
      const cursor = nextCursor ?? assert.fail("There is no next page")
      assert.strictEqual(
        valuesOf(itemsOf(yield* search(client, "products", { rules, sort: "name", cursor })), "name"),
        "b c"
      )
      for (const [from, parameters] of [
        [client, { rules, sort: "-name" }],
        [client, { rules, sort: "price" }],
        [client, { sort: "name" }],
        [client, { rules, sort: "name", disjunctive: true }],
        [client, { rules, sort: "name", search: "a" }],
        [other.client, { rules, sort: "name" }]
      ] as const) {
        const [issue = ""] = issuesOf(yield* search(from, "products", { ...parameters, cursor }))
        assert.match(issue, /^cursor: (?:belongs to another query; send|must be the `nextCursor`)/)
      }
      const [origin] = JSON.parse(Buffer.from(cursor, "base64url").toString())
      const id = "01890a5d-ac96-774b-bcce-b302099a8057"
      for (const bad of [
        "",
        "x",
        "%00",
        forged([origin, "a\u0000", id]),
        forged([origin, "\ud800", id]),
        forged([origin, "a", "b"]),
        forged({})
      ]) {
        assert.deepStrictEqual(issuesOf(yield* search(client, "products", { rules, sort: "name", cursor: bad })), [
          "cursor: must be the `nextCursor` of a page"
        ])
      }
      const { nextCursor: byPrice } = pageOf(yield* search(client, "products", { sort: "price", limit: 1 }))
      const [ofPrice] = JSON.parse(Buffer.from(byPrice ?? "", "base64url").toString())
      for (const value of ["x", "NaN", "1e5", "1;"]) {
        const answer = yield* search(client, "products", { sort: "price", cursor: forged([ofPrice, value, id]) })
        assert.deepStrictEqual(issuesOf(answer), ["cursor: must be the `nextCursor` of a page"])
      }
    })
  )

  it.effect("an invalid filter or sort order is refused with its path", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cases = [
        ["products", { rules: "[" }, "rules: must be JSON text"],
        ["products", { rules: "{}" }, "rules: must be JSON text"],
        ["products", { rules: [{ field: "colour", relation: "equals", value: 1 }] }, "rules.0.field: must be one of"],
        [
          "products",
          { rules: [{ field: "price", relation: "contains", value: 1 }] },
          "rules.0.relation: must be one of"
        ],
        ["products", { disjunctive: "yes" }, "disjunctive: must be true or false"],
        ["products", { search: "a\u0000" }, "search: must not contain the NUL character"],
        ["products", { search: " " }, "search: must be text of 1 to 255 characters"],
        ["products", { sort: "sku" }, "sort: must be one of name, -name, price"],
        ["collections", { sort: "slug" }, "sort: must be one of title"],
        ["orders", { sort: "email" }, "sort: must be one of number"],
        ["orders", { status: "new" }, "status: must be open"],
        ["orders", { customerId: "7" }, "customerId: must be a UUID"],
        ["orders", { placedSince: "today" }, "placedSince: must be a time"],
        ["customers", { sort: "email" }, "sort: must be one of name"]
      ] as const
      for (const [noun, parameters, issue] of cases) {
        const [found = ""] = issuesOf(yield* search(client, noun, parameters))
        assert.isTrue(found.startsWith(issue), `${found} instead of ${issue}`)
      }
    })
  )

  it.effect("collections are found by parts of title and slug, in every sort order, with their products", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const [title, slug] of [
        ["b Oak", "x"],
        ["Äther", "oak-2"],
        ["a Oak", "y"],
        ["Ash", "z"]
      ]) {
        yield* client.post("/collections", { title, slug })
      }
      const listed = pageOf(yield* client.get("/collections")).items
      const found = yield* readAll(client, "collections", { search: "OAK", sort: "title" })
      assert.deepStrictEqual(found, [listed[2], listed[0], listed[1]])
      yield* client.patch(`/collections/${String(listed[0]?.["id"])}`, { isActive: false })
      for (const [sort, slugs] of [
        ["title", "y z x oak-2"],
        ["-title", "oak-2 x z y"],
        ["createdAt", "x oak-2 y z"],
        ["-createdAt", "z y oak-2 x"],
        ["updatedAt", "oak-2 y z x"],
        ["-updatedAt", "x z y oak-2"]
      ] as const) {
        assert.strictEqual(valuesOf(yield* readAll(client, "collections", { sort }), "slug"), slugs, sort)
      }
    })
  )

  it.effect("orders are filtered by number, status, customer, time and total, in every sort order", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const [ada] = yield* putCustomers(storeId, [{ name: "Ada" }])
      yield* putOrders(storeId, [
        { number: "b2", placedAt: "2026-01-03T00:00:00Z", lineItems: line(10), customerId: ada?.id },
        { number: "A1", placedAt: "2026-01-01T00:00:00Z", lineItems: line(9), status: "cancelled" },
        { number: "c3", placedAt: "2026-01-02T00:00:00Z", lineItems: line(100) }
      ])
      const cases = [
        [{}, "b2 c3 A1"],
        [{ sort: "createdAt" }, "b2 A1 c3"],
        [{ sort: "number" }, "A1 b2 c3"],
        [{ sort: "-number" }, "c3 b2 A1"],
        [{ sort: "total" }, "A1 b2 c3"],
        [{ sort: "-total" }, "c3 b2 A1"],
        [{ sort: "placedAt" }, "A1 c3 b2"],
        [{ sort: "-placedAt" }, "b2 c3 A1"],
        [{ sort: "updatedAt" }, "b2 A1 c3"],
        [{ sort: "-updatedAt" }, "c3 A1 b2"],
        [{ number: "B2" }, "b2"],
        [{ status: "open" }, "b2 c3"],
        [{ customerId: ada?.id ?? "" }, "b2"],
        [{ placedSince: "2026-01-02T00:00:00Z" }, "b2 c3"],
        [{ placedBefore: "2026-01-02T00:00:00Z" }, "A1"],
        [{ status: "open", placedBefore: "2026-01-03T00:00:00Z" }, "c3"],
        [{ totalFrom: "10" }, "b2 c3"],
        [{ totalTo: "10.0" }, "b2 A1"],
        [{ totalFrom: "9.5", totalTo: "99.99", sort: "total" }, "b2"]
      ] as const
      for (const [parameters, numbers] of cases) {
        const found = valuesOf(yield* readAll(client, "orders", parameters), "number")
        assert.strictEqual(found, numbers, JSON.stringify(parameters))
      }
      // Orders of one moment are each on one page.
      const tied = { placedAt: "2026-01-02T00:00:00Z", lineItems: line(1) }
      yield* putOrders(storeId, [
        { ...tied, number: "d" },
        { ...tied, number: "e" }
      ])
      assert.strictEqual(valuesOf(yield* readAll(client, "orders", {}), "number"), "b2 e d c3 A1")
      assert.strictEqual(valuesOf(yield* readAll(client, "orders", { sort: "placedAt" }), "number"), "A1 c3 d e b2")
    })
  )

  it.effect("orders are found by part of the number and by visible e-mail addresses and names in addresses", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      yield* putOrders(storeId, [
        { number: "ADA-1", note: "secret" },
        { number: "2", email: "secret@example.com" },
        { number: "3", shippingAddress: { name: "Mira Secret", city: "Porto" } },
        { number: "4", billingAddress: { name: "Secret" } },
        { number: "5", shippingAddress: { city: "Secret" } }
      ])
      const { client: blind } = yield* install(storeId, { capabilities: [] })
      for (const [text, visible, hidden] of [
        ["da-", "ADA-1", "ADA-1"],
        ["SECRET", "2 3 4", ""],
        ["mira s", "3", ""]
      ] as const) {
        const parameters = { search: text, sort: "number" }
        assert.strictEqual(valuesOf(yield* readAll(client, "orders", parameters), "number"), visible, text)
        assert.strictEqual(valuesOf(yield* readAll(blind, "orders", parameters), "number"), hidden, text)
      }
    })
  )

  it.effect("customers are found by name, company and visible e-mail address; those without a name come last", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const [, bo] = yield* putCustomers(storeId, [
        { name: null, company: "Secret Ltd" },
        { name: "bo", email: "secret@example.com" },
        { name: "Ada", phone: "+351 secret", addresses: [{ city: "Secret" }] },
        { name: null, email: "other@example.com" }
      ])
      yield* putOrders(storeId, [{ customerId: bo?.id, lineItems: [{ name: "Cup", quantity: 1, unitPrice: 5 }] }])
      const { client: blind } = yield* install(storeId, { capabilities: [] })
      for (const [sort, names] of [
        ["name", "Ada bo - -"],
        ["-name", "bo Ada - -"],
        ["-totalSpent", "bo - Ada -"],
        ["ordersCount", "- Ada - bo"],
        ["createdAt", "- bo Ada -"],
        ["-updatedAt", "bo - Ada -"]
      ] as const) {
        for (const reader of [client, blind]) {
          assert.strictEqual(valuesOf(yield* readAll(reader, "customers", { sort }), "name"), names, sort)
        }
      }
      const all = pageOf(yield* client.get("/customers")).items
      assert.sameDeepMembers([...itemsOf(yield* search(client, "customers", { search: "SECRET" }))], all.slice(0, 2))
      const hidden = yield* search(blind, "customers", { search: "secret" })
      assert.deepStrictEqual(valuesOf(itemsOf(hidden), "company"), "Secret Ltd")
      assert.notMatch((yield* search(blind, "customers")).text, /secret@|\+351/)
    })
  )

  it.effect("products.query answers as GET /products/search does, and refuses unknown fields", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { client: app } = yield* install(storeId)
      for (const name of ["a", "b", "c"]) yield* app.post("/products", { name })
      const { items, nextCursor, total } = yield* client.products.query({ storeId, sort: "-name", limit: 2 })
      const answer = yield* search(app, "products", { sort: "-name", limit: 2 })
      assert.deepStrictEqual(answer.json, { products: items, nextCursor, total })
      assert.strictEqual(total, 3)
      const error = yield* Effect.flip(
        client.products.query({ storeId, sort: "name", cursor: nextCursor ?? assert.fail() })
      )
      assert.propertyVal(error, "_tag", "BadRequest")
    })
  )
})
