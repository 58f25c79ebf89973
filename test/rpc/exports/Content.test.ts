import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import type { ExportContent } from "../../../src/domain/exports/Export.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { lineOf, readAll, settled } from "../../support/data/Exports.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { JobsTest } from "../../support/http/ChangeSets.ts"
import { keyedIn } from "../../support/rpc/Proposals.ts"
import { callLine, errorOf, freshMember, post } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

layer(JobsTest, { excludeTestServices: true, timeout: "60 seconds" })("Content of exports", (it) => {
  it.effect("an export has the rows of the list with the same filter", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const lines = [{ name: "It", quantity: 1, unitPrice: 5, productId: null }]
      yield* putCustomers(storeId, [{ name: "Ada" }, { name: "Bob", email: "ada@example.com" }, { name: "Cy" }])
      yield* putOrders(storeId, [
        { number: "A1", status: "open", placedAt: "2026-01-02T00:00:00Z", lineItems: lines },
        { number: "A2", status: "completed", placedAt: "2026-01-02T00:00:00Z", lineItems: lines },
        { number: "A3", status: "open", placedAt: "2026-01-01T00:00:00Z", lineItems: lines }
      ])
      const products = yield* Effect.forEach(
        [
          { name: "Oak desk", price: 10, tags: ["oak"] },
          { name: "Oak lamp", price: 20, tags: ["Oak", "new"] },
          { name: "Cup", price: 30, description: "oak" }
        ],
        (product) => performed(client.products.create({ ...keyedIn(storeId), product: toProduct(product) }))
      )
      for (const title of ["Desks", "Lamps"]) {
        yield* client.collections.create({ ...keyedIn(storeId), collection: toCollection({ title }) })
      }
      const rowsOf = Effect.fn(function* (content: ExportContent, member: string) {
        const { id } = yield* settled(storeId, yield* client.exports.create({ ...keyedIn(storeId), ...content }))
        const text = (yield* readAll(client, storeId, id)).join("")
        return text
          .split("\n")
          .slice(0, -1)
          .map((line) => lineOf(line)[member])
      })
      const oak = [{ field: "tags", relation: "equals", value: "oak" }] as const
      const dear = [...oak, { field: "price", relation: "greater_than", value: 15 }] as const
      for (const [where, names] of [
        [{}, ["Oak desk", "Oak lamp", "Cup"]],
        [{ search: "oak" }, ["Oak desk", "Oak lamp"]],
        [{ search: "oak la" }, ["Oak lamp"]],
        [{ search: "nothing" }, []],
        [{ rules: oak }, ["Oak desk", "Oak lamp"]],
        [{ rules: dear }, ["Oak lamp"]],
        [{ rules: dear, disjunctive: true }, ["Oak desk", "Oak lamp", "Cup"]],
        [{ rules: [{ field: "description", relation: "contains", value: "oak" }] }, ["Cup"]]
      ] as const) {
        const listed = yield* client.products.query({ storeId, ...where, sort: "createdAt" })
        assert.deepStrictEqual(
          listed.items.map(({ name }) => name),
          [...names]
        )
        assert.deepStrictEqual(yield* rowsOf({ kind: "products", where }, "name"), [...names])
      }
      const ids = products.flatMap(({ id, name }) => (name === "Oak desk" || name === "Cup" ? [id] : []))
      assert.deepStrictEqual(yield* rowsOf({ kind: "products", where: { ids } }, "name"), ["Oak desk", "Cup"])
      assert.deepStrictEqual(yield* rowsOf({ kind: "products", where: { ids, search: "oak" } }, "name"), ["Oak desk"])
      assert.deepStrictEqual(yield* rowsOf({ kind: "collections", where: { search: "LAMP" } }, "title"), ["Lamps"])
      assert.deepStrictEqual(yield* rowsOf({ kind: "customers", where: { search: "ADA" } }, "name"), ["Ada", "Bob"])
      const since = { status: "open", placedSince: "2026-01-01T12:00:00Z" } as const
      assert.deepStrictEqual(yield* rowsOf({ kind: "orders", where: since }, "number"), ["A1"])
      assert.deepStrictEqual(yield* rowsOf({ kind: "orders", where: { search: "a" } }, "number"), ["A1", "A2", "A3"])
    })
  )

  it.effect("an export refuses the filter of another kind, and an unknown kind", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      for (const [content, issue] of [
        [{ kind: "customers", where: { status: "open" } }, /where.status: /],
        [{ kind: "carts" }, /must have the kind products, collections, orders, customers/],
        [{ kind: "orders", format: "xml" }, /format: must be jsonl or csv/]
      ] as const) {
        const { text } = yield* post(callLine("exports.create", { ...keyedIn(storeId), ...content }), { cookie })
        assert.match(JSON.stringify(errorOf(text)), issue)
      }
    })
  )

  it.effect("a CSV has the names of the columns once, and a row for each resource", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      yield* putCustomers(
        storeId,
        Array.from({ length: 501 }, (_, n) => ({ email: `c${n}@example.com` }))
      )
      const created = yield* client.exports.create({ ...keyedIn(storeId), kind: "customers", format: "csv" })
      assert.deepInclude(yield* settled(storeId, created), { format: "csv", exported: 501 })
      const lines = (yield* readAll(client, storeId, created.id)).join("").split("\r\n")
      assert.lengthOf(lines, 503)
      assert.match(String(lines[0]), /^\uFEFFexternalId,id,.*email/)
      assert.match(String(lines[501]), /"c500@example.com"/)
    })
  )
})
