import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { Collection, CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { type Facets, facetsJson, facetsOf } from "../../../src/domain/catalog/Facets.ts"
import { matches } from "../../../src/domain/catalog/Matcher.ts"
import { Preview, PREVIEWED, PreviewRules } from "../../../src/domain/catalog/Membership.ts"
import { Product } from "../../../src/domain/catalog/Product.ts"
import { conditionsOf } from "../../../src/domain/catalog/Rule.ts"
import { canonical } from "../../../src/domain/json/Json.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { indexFacets } from "../../../src/layers/catalog/Terms.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { randomPatch, randomProduct } from "../../data/RandomProducts.ts"
import { type RandomRules, rulesNear } from "../../data/RandomRules.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { performIn } from "../../support/data/Writes.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

/** Seed of the products, which are the same in every run except for ids and times. Rules are random. */
const SEED = 20_260_131
const sample = <A>(arbitrary: fc.Arbitrary<A>, numRuns: number) => fc.sample(arbitrary, { seed: SEED, numRuns })

const PRODUCTS = 120
const RULE_SETS = propertyRuns(120, 300)

const toProducts = Schema.decodeUnknownSync(Schema.Array(Product), { onExcessProperty: "error" })
const toCollection = Schema.decodeUnknownSync(Collection)
const toCollections = Schema.decodeUnknownSync(Schema.Array(Collection))
const toRules = Schema.decodeUnknownSync(PreviewRules)
const toIds = (items: unknown) => toSummaries(items).map(({ id }) => id)
const toSummaries = Schema.decodeUnknownSync(Preview.fields.items, { onExcessProperty: "error" })
const toInput = Schema.decodeUnknownSync(CreateCollection)

/** A store with random products: most are updated after their creation, some are deleted. */
class RandomStore extends Context.Service<RandomStore, { readonly storeId: StoreId; readonly left: number }>()(
  "test/RandomStore"
) {}

const randomStore = Effect.gen(function* () {
  const catalog = yield* Catalog
  const stores = yield* Stores
  const storeId = yield* stores.create({ name: "A random store", plan: "scale", currencyCode: "EUR" })
  const perform = yield* performIn(storeId)
  const inputs = sample(randomProduct, PRODUCTS)
  const created = yield* Effect.forEach(inputs, (input) => perform(catalog.createProduct(storeId, input)))
  const patches = sample(randomPatch, PRODUCTS)
  yield* Effect.forEach(created, ({ id }, index) =>
    perform(catalog.updateProduct(storeId, id, patches[index] ?? {}, "any"))
  )
  const removed = created.filter((_, index) => index % 10 === 3)
  yield* Effect.forEach(removed, ({ id }) => perform(catalog.deleteProduct(storeId, id, "any")))
  return { storeId, left: created.length - removed.length }
})

const RandomStoreTest = Layer.effect(RandomStore, randomStore).pipe(
  Layer.orDie,
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest)
)

const Row = Schema.Struct({
  document: Schema.String,
  description: Schema.NullOr(Schema.String)
})
const toRows = Schema.decodeUnknownEffect(Schema.Array(Row))

layer(RandomStoreTest, { excludeTestServices: true, timeout: "60 seconds" })("Rules in SQL", (it) => {
  it.effect("collections, previews and explanations agree with the reference matcher", () =>
    Effect.gen(function* () {
      const { storeId } = yield* RandomStore
      const catalog = yield* Catalog
      const perform = yield* performIn(storeId)
      const runPromise = Effect.runPromiseWith(yield* Effect.context())
      const { items } = yield* catalog.listProducts(storeId, { cursor: undefined, limit: PRODUCTS })
      const products = toProducts(JSON.parse(items)).map((product) => ({ id: product.id, facets: facetsOf(product) }))

      const expected = ({ disjunctive, rules }: Collection) =>
        products.filter(({ facets }) => matches(facets, conditionsOf(rules), disjunctive)).map(({ id }) => id)

      const create = (rules: RandomRules) =>
        Effect.map(
          perform(catalog.createCollection(storeId, toInput({ title: "Random", type: "automated", ...rules }))),
          ({ json }) => toCollection(JSON.parse(json))
        )

      let partial = 0
      const holds = fc.asyncProperty(rulesNear(products.map(({ facets }): Facets => facets)), async (rules) => {
        const collection = await runPromise(create(rules))
        assert.deepStrictEqual(collection.productIds, expected(collection))
        assert.strictEqual(collection.productCount, collection.productIds.length)
        const preview = await runPromise(catalog.previewCollection(storeId, toRules(rules)))
        assert.strictEqual(preview.productCount, collection.productCount)
        assert.deepStrictEqual(toIds(JSON.parse(preview.items)), collection.productIds.slice(0, PREVIEWED))
        for (const { id } of fc.sample(fc.constantFrom(...products), 4)) {
          const why = await runPromise(catalog.explainMembership(storeId, id, { id: collection.id }))
          assert.strictEqual(why.isMember, collection.productIds.includes(id))
          const results = why.reasons.map(({ holds }) => holds)
          assert.lengthOf(results, collection.rules.length)
          assert.strictEqual(
            why.isMember,
            results.length > 0 && (why.disjunctive ? results.includes(true) : !results.includes(false))
          )
        }
        if (collection.productCount > 0 && collection.productCount < products.length) partial += 1
      })
      yield* Effect.promise(() => fc.assert(holds, { numRuns: RULE_SETS }))
      assert.isAbove(partial, RULE_SETS / 4, "too few rule sets match some but not all products")

      // Lists the same collections in one statement.
      const page = yield* catalog.listCollections(storeId, { cursor: undefined, limit: 200 })
      for (const collection of toCollections(JSON.parse(page.items))) {
        assert.deepStrictEqual(collection.productIds, expected(collection))
      }
    })
  )

  it.effect("columns of every stored product equal its document", () =>
    Effect.gen(function* () {
      const { left, storeId } = yield* RandomStore
      const sql = yield* SqlClient.SqlClient
      const rows = yield* toRows(
        yield* sql`
          select document::text as document, description from products where store_id = ${storeId} order by id
        `
      )
      assert.strictEqual(rows.length, left)
      for (const { description, document } of rows) {
        const [product] = toProducts([JSON.parse(document)])
        assert.isDefined(product)
        if (product === undefined) continue
        assert.strictEqual(canonical(product), canonical(JSON.parse(document)))
        const facets = facetsOf(product)
        assert.strictEqual(description, facets.description)
        const [same] = yield* sql`
          select facets = ${facetsJson(facets)}::jsonb as facets, slug = ${product.slug} as slug,
            version = ${product.version} as version, k.price = ${JSON.stringify(product.price)}::numeric as price,
            k.stock = ${JSON.stringify(product.stock)}::numeric as stock,
            k.terms = ${indexFacets(storeId, facets).terms}::uuid[] as terms
          from products p join product_keys k using (store_id, id)
          where store_id = ${storeId} and id = ${product.id}
        `
        const all = { facets: true, slug: true, version: true, price: true, stock: true, terms: true }
        assert.deepStrictEqual(same, all)
      }
    })
  )
})
