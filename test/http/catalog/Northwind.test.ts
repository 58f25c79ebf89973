import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { IsolatedApiTest, type Client, dataOf, makeStore, pageOf, type Resource } from "../../support/http/Api.ts"
import { makeClientRotation } from "../../support/http/ClientRotation.ts"

/** A line of `test/data/northwind/products.jsonl`. */
const Line = Schema.Struct({
  externalId: Schema.String,
  name: Schema.String,
  sku: Schema.String,
  price: Schema.Number,
  stock: Schema.Number,
  isActive: Schema.Boolean,
  category: Schema.String,
  productType: Schema.String,
  vendorName: Schema.String,
  description: Schema.String,
  countryOfOrigin: Schema.String,
  currencyCode: Schema.String,
  tags: Schema.Array(Schema.String)
})
type Line = typeof Line.Type
const lineOf = Schema.decodeUnknownSync(Schema.fromJsonString(Line), { onExcessProperty: "error" })

const productLines = Effect.promise(async () => {
  const file = await readFile(new URL("../../data/northwind/products.jsonl", import.meta.url), "utf8")
  return file.split("\n").filter((line) => line !== "")
})

const rule = (field: string, relation: string, value?: unknown) => ({ field, relation, value })

/** The complete Northwind sample catalog, created through the API. */
class Northwind extends Context.Service<
  Northwind,
  {
    readonly client: (index: number) => Client
    readonly lines: ReadonlyArray<Line>
    readonly products: ReadonlyArray<Resource>
  }
>()("test/Northwind") {}

const NorthwindTest = Layer.effect(
  Northwind,
  Effect.gen(function* () {
    const client = yield* makeClientRotation(yield* makeStore("starter"), 8)
    const lines = yield* productLines
    const products = yield* Effect.forEach(lines, (line, index) =>
      Effect.gen(function* () {
        const created = yield* client(index).post("/products", line)
        assert.strictEqual(created.status, 201, created.text)
        // The response contains the price with the same digits as the file.
        const [price = ""] = /"price":[^,]+,/.exec(line) ?? []
        assert.include(created.text, price)
        return dataOf(created)
      })
    )
    return { client, lines: lines.map((line) => lineOf(line)), products }
  })
).pipe(Layer.orDie, Layer.provideMerge(IsolatedApiTest))

layer(NorthwindTest, { excludeTestServices: true, timeout: "60 seconds" })("Northwind catalog", (it) => {
  it.effect("products are returned as sent, without externalId and with a unique slug", () =>
    Effect.gen(function* () {
      const { lines, products } = yield* Northwind
      assert.strictEqual(products.length, 77)
      for (const [index, { externalId: _, ...line }] of lines.entries()) {
        assert.deepInclude(products[index], line)
        assert.notProperty(products[index], "externalId")
      }
      const slugs = products.map(({ slug }) => String(slug))
      assert.strictEqual(new Set(slugs).size, 77)
      for (const slug of slugs) assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    })
  )

  it.effect("every limit pages through the same 77 products in the same order", () =>
    Effect.gen(function* () {
      const { client, products } = yield* Northwind
      let requests = 0
      for (const limit of [undefined, 1, 7, 50, 76, 77, 78, 200, 500]) {
        const pages: Array<ReadonlyArray<Resource>> = []
        let cursor: string | null | undefined
        while (cursor !== null) {
          const query = new URLSearchParams(limit === undefined ? {} : { limit: String(limit) })
          if (cursor !== undefined) query.set("cursor", cursor)
          const { items, nextCursor } = pageOf(yield* client(requests++).get(`/products?${query}`))
          pages.push(items)
          cursor = nextCursor
        }
        const size = Math.min(limit ?? 50, 200)
        assert.deepStrictEqual(pages.flat(), products)
        assert.strictEqual(pages.length, Math.ceil(77 / size))
      }
    })
  )

  it.effect("automated collections match the same products as a filter over the file", () =>
    Effect.gen(function* () {
      const { client, lines, products } = yield* Northwind
      const valuesOf = (value: (line: Line) => string) => [...new Set(lines.map(value))]
      type Group = readonly [rules: ReadonlyArray<object>, isMember: (line: Line) => boolean, disjunctive?: boolean]
      const groups: ReadonlyArray<Group> = [
        ...valuesOf(({ category }) => category).map((category): Group => [
          [rule("category", "equals", category.toUpperCase())],
          (line) => line.category === category
        ]),
        ...valuesOf(({ countryOfOrigin }) => countryOfOrigin).flatMap((country): ReadonlyArray<Group> => [
          [[rule("countryOfOrigin", "equals", country)], (line) => line.countryOfOrigin === country],
          [[rule("tag", "equals", country)], (line) => line.countryOfOrigin === country],
          [[rule("tags", "not_equals", country)], (line) => line.countryOfOrigin !== country]
        ]),
        ...[2.5, 9.5, 10, 18, 18.399999618530273, 43.900001525878906, 263.5].flatMap((from): ReadonlyArray<Group> => [
          [
            [rule("price", "greater_or_equal", from), rule("price", "less_than", String(from * 2))],
            ({ price }) => price >= from && price < from * 2
          ],
          [[rule("price", "equals", from)], ({ price }) => price === from],
          [
            [rule("price", "less_or_equal", from), rule("stock", "greater_than", 100)],
            ({ price, stock }) => price <= from || stock > 100,
            true
          ]
        ]),
        [[rule("stock", "equals", 0)], ({ stock }) => stock === 0],
        [[rule("inventory", "in", [17, 39, "0"])], ({ stock }) => [17, 39, 0].includes(stock)],
        [
          [rule("stock", "less_than", 10), rule("isActive", "equals", true)],
          ({ isActive, stock }) => stock < 10 && isActive
        ],
        [[rule("isActive", "equals", false)], ({ isActive }) => !isActive],
        [[rule("vendor", "contains", "LTD")], ({ vendorName }) => vendorName.toLowerCase().includes("ltd")],
        [[rule("name", "contains", "Ü")], ({ name }) => /[üÜ]/.test(name)],
        [[rule("sku", "ends_with", "7")], ({ sku }) => sku.endsWith("7")],
        [[rule("description", "starts_with", "24 ")], ({ description }) => description.startsWith("24 ")],
        [[rule("currencyCode", "not_equals", "usd")], () => false],
        [[rule("costPrice", "is_not_set")], () => true],
        [
          [rule("category", "in", ["seafood", "produce"]), rule("tags", "not_in", ["japan", "usa"])],
          ({ category, countryOfOrigin }) =>
            ["Seafood", "Produce"].includes(category) && !["Japan", "USA"].includes(countryOfOrigin)
        ]
      ]
      const created = yield* Effect.forEach(groups, ([rules, , disjunctive = false], index) =>
        Effect.map(
          client(index).post("/collections", { title: "Group", type: "automated", rules, disjunctive }),
          (answer) => dataOf(answer)
        )
      )
      const expected = groups.map(([, isMember]) =>
        products.filter((_, index) => lines.slice(index, index + 1).some(isMember))
      )
      created.forEach(({ productIds, rules }, index) => {
        assert.deepStrictEqual(
          productIds,
          expected[index]?.map(({ id }) => id),
          JSON.stringify(rules)
        )
      })
      // Only the group of other currencies is expected to be empty.
      assert.strictEqual(expected.filter((matches) => matches.length === 0).length, 1)
      // The list returns the same collections as the creates.
      assert.deepStrictEqual(pageOf(yield* client(0).get("/collections?limit=200")).items, created)
    })
  )
})
