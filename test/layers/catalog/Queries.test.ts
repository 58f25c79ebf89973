import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { matches } from "../../../src/domain/catalog/Matcher.ts"
import { Product } from "../../../src/domain/catalog/Product.ts"
import { ProductQuery } from "../../../src/domain/catalog/Queries.ts"
import { conditionsOf } from "../../../src/domain/catalog/Rule.ts"
import { MAX_TOTAL, type QueryCursor } from "../../../src/domain/Query.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { QueryTimeout } from "../../../src/layers/sql/Queries.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"
import { rulesNear } from "../../data/RandomRules.ts"
import { performIn } from "../../support/data/Writes.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

const Live = Layer.provideMerge(DomainLive, Layer.merge(PostgresTest, Layer.succeed(QueryTimeout, 60_000)))

const SEED = 20_260_131
const sample = <A>(arbitrary: fc.Arbitrary<A>, numRuns: number) => fc.sample(arbitrary, { seed: SEED, numRuns })

const SORTS = ["name", "price", "stock", "createdAt", "updatedAt"].flatMap((name) => [name, `-${name}`])

const toQuery = Schema.decodeUnknownSync(ProductQuery)
const productsIn = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Product)))

const makeStore = Effect.flatMap(Stores, ({ create }) =>
  create({ name: "A random store", plan: "scale", currencyCode: "EUR" })
)

/** Compares texts by code point, as the collation "C" does. */
const compareText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Sort value of a product: text without case, or a number. */
const valueOf = (product: Product, name: string): string | number => {
  if (name === "price" || name === "stock") return product[name]
  if (name === "updatedAt") return product.updatedAt
  return name === "name" ? String(facetsOf(product).title) : product.id
}

/** Order of the model. */
const compareBy = (sort: string) => {
  const name = sort.replace("-", "")
  const compare = (a: Product, b: Product) => {
    const [x, y] = [valueOf(a, name), valueOf(b, name)]
    const order = typeof x === "number" && typeof y === "number" ? x - y : compareText(String(x), String(y))
    return order || compareText(a.id, b.id)
  }
  return sort.startsWith("-") ? (a: Product, b: Product) => compare(b, a) : compare
}

/** Reads all pages of a query, and runs `between` after each. */
const readAll = Effect.fn(function* <E, R>(
  storeId: StoreId,
  query: object,
  limit: number,
  between: Effect.Effect<unknown, E, R> = Effect.void
) {
  const catalog = yield* Catalog
  const products: Array<Product> = []
  const totals: Array<number | null> = []
  let cursor: QueryCursor | null | undefined
  while (cursor !== null) {
    const page = yield* catalog.queryProducts(storeId, toQuery(query), { cursor, limit })
    products.push(...productsIn(page.items))
    totals.push(page.total)
    cursor = page.nextCursor
    yield* between
  }
  return { products, totals }
})

const idsOf = (products: ReadonlyArray<Product>) => products.map(({ id }) => id)

const toProduct = (price: number) => ({ name: `Cup ${price}`, price })

layer(Live, { excludeTestServices: true, timeout: "120 seconds" })("Queries of products", (it) => {
  it.effect("every sort order with random rules returns the matches in the order of the model, and their number", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const created = yield* Effect.forEach(sample(randomProduct, 60), (input) =>
        perform(catalog.createProduct(storeId, input))
      )
      yield* Effect.forEach(sample(randomPatch, 30), (patch, index) =>
        perform(catalog.updateProduct(storeId, created[index * 2]?.id ?? assert.fail(), patch, "any"))
      )
      const all = productsIn((yield* catalog.listProducts(storeId, { cursor: undefined, limit: 200 })).items)
      const facets = all.map((product) => ({ product, facets: facetsOf(product) }))
      const run = Effect.runPromiseWith(yield* Effect.context<Catalog>())
      const scenario = fc.record({
        filter: fc.option(rulesNear(facets.map(({ facets }) => facets)), { nil: undefined, freq: 6 }),
        sort: fc.constantFrom(...SORTS),
        limit: fc.integer({ min: 1, max: 40 })
      })
      const holds = fc.asyncProperty(scenario, async ({ filter, limit, sort }) => {
        const query = toQuery({ ...filter, sort })
        const { disjunctive = false, rules = [] } = query
        const expected = facets
          .filter(({ facets }) => rules.length === 0 || matches(facets, conditionsOf(rules), disjunctive))
          .map(({ product }) => product)
          .toSorted(compareBy(sort))
        const { products, totals } = await run(readAll(storeId, { ...filter, sort }, limit))
        assert.deepStrictEqual(idsOf(products), idsOf(expected))
        assert.deepStrictEqual(new Set(totals), new Set([expected.length]))
      })
      yield* Effect.promise(() => fc.assert(holds, { numRuns: 60 }))
    })
  )

  it.effect("a product whose sort value stays the same is on one page, whatever is written between pages", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const run = Effect.runPromiseWith(
        yield* Effect.context<Effect.Services<ReturnType<typeof performIn>> | Catalog | Stores>()
      )
      const write = fc.record({
        kind: fc.constantFrom("create", "delete", "move", "touch"),
        which: fc.nat(),
        price: fc.integer({ min: 0, max: 5 })
      })
      const scenario = fc.record({
        prices: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 10 }),
        sort: fc.constantFrom("price", "-price", "createdAt", "-createdAt", "name", "-name"),
        limit: fc.integer({ min: 1, max: 4 }),
        writes: fc.array(write, { maxLength: 10 })
      })
      const holds = fc.asyncProperty(scenario, ({ limit, prices, sort, writes }) =>
        run(
          Effect.gen(function* () {
            const storeId = yield* makeStore
            const perform = yield* performIn(storeId)
            const rows = yield* Effect.forEach(prices, (price) =>
              perform(catalog.createProduct(storeId, toProduct(price)))
            )
            const steady = new Set(rows.map(({ id }) => id))
            const left = [...writes]
            const step = Effect.gen(function* () {
              const { kind, price, which } = left.shift() ?? { kind: "none", price: 0, which: 0 }
              const id = rows[which % Math.max(rows.length, 1)]?.id
              if (kind === "create") return yield* perform(catalog.createProduct(storeId, toProduct(price)))
              if (id === undefined || !steady.has(id)) return
              if (kind === "touch")
                return yield* perform(catalog.updateProduct(storeId, id, { stock: which % 7 }, "any"))
              steady.delete(id)
              if (kind === "move") return yield* perform(catalog.updateProduct(storeId, id, toProduct(price), "any"))
              if (kind === "delete") return yield* perform(catalog.deleteProduct(storeId, id, "any"))
              steady.add(id)
            })
            const { products } = yield* readAll(storeId, { sort }, limit, step)
            for (const id of steady)
              assert.lengthOf(
                products.filter((product) => product.id === id),
                1
              )
          })
        )
      )
      yield* Effect.promise(() => fc.assert(holds, { numRuns: 60 }))
    })
  )

  it.effect("a query with more than 10,000 matches has no total, and every sort order reads its pages in order", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      yield* perform(catalog.createProduct(storeId, { name: "Cup", price: 3, tags: ["oak"] }))
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets)
        select store_id, made.id, made.id,
          (document::jsonb || jsonb_build_object('id', made.id, 'slug', made.id, 'price', n % 7, 'stock', n % 5))::json,
          bytes, 1, 1, facets || jsonb_build_object('price', n % 7, 'stock', n % 5)
        from products, lateral (select uuid_v7(clock_micros()) as id, n from generate_series(1, ${MAX_TOTAL}) as n) as made
        where store_id = ${storeId}
      `
      yield* sql`
        insert into product_keys (store_id, id, price, stock, terms)
        select k.store_id, p.id, (document ->> 'price')::numeric, (document ->> 'stock')::numeric, terms
        from product_keys k join products p using (store_id) where store_id = ${storeId} on conflict do nothing
      `
      for (const filter of [{}, { rules: [{ field: "tags", relation: "equals", value: "oak" }] }, { search: "cup" }]) {
        for (const sort of SORTS) {
          const first = yield* catalog.queryProducts(storeId, toQuery({ ...filter, sort }), { limit: 30 })
          assert.isNull(first.total)
          const cursor = first.nextCursor ?? assert.fail("there must be a next page")
          const second = yield* catalog.queryProducts(storeId, toQuery({ ...filter, sort }), { cursor, limit: 30 })
          const products = [...productsIn(first.items), ...productsIn(second.items)]
          assert.lengthOf(new Set(idsOf(products)), 60)
          assert.deepStrictEqual(idsOf(products), idsOf(products.toSorted(compareBy(sort))), sort)
          const whole = yield* catalog.queryProducts(storeId, toQuery({ ...filter, sort }), { limit: 60 })
          assert.deepStrictEqual(idsOf(products), idsOf(productsIn(whole.items)), sort)
        }
      }
      const [oldest] = productsIn((yield* catalog.queryProducts(storeId, { sort: "createdAt" }, { limit: 1 })).items)
      yield* perform(catalog.deleteProduct(storeId, oldest?.id ?? assert.fail("none"), "any"))
      assert.strictEqual((yield* catalog.queryProducts(storeId, {}, { limit: 1 })).total, MAX_TOTAL)
    })
  )
})
