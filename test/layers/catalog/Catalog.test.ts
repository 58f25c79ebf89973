import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Actor } from "../../../src/domain/Actor.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { Collection, CreateCollection, MAX_MEMBERS, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { AGENT, installing, MERCHANT, performIn } from "../../support/data/Writes.ts"

const CatalogTest = Layer.provideMerge(DomainLive, PostgresTest)

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toPatch = Schema.decodeUnknownSync(UpdateCollection)
const collectionOf = ({ json }: { readonly json: string }) => Schema.decodeUnknownSync(Collection)(JSON.parse(json))

const makeStore = Effect.flatMap(Stores, (stores) =>
  stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
)

const named = (...names: ReadonlyArray<string>) => [{ field: "title", relation: "in", value: names }]

const ids = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.toType(ProductId) })))

/** Copies one product `count` times. SQL is much faster than the service here. */
const copyProduct = Effect.fn(function* (storeId: StoreId, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update stores set product_count = product_count + ${count} where id = ${storeId}`
  const copies = yield* sql`
    with copies as (
      insert into products (store_id, id, version, slug, document, facets, description)
      select store_id, made.id, 1, 'copy-' || n, json_build_object('id', made.id, 'version', 1), facets, description
      from products, generate_series(1, ${count}::integer) as n,
        lateral (select uuid_v7(clock_micros()) as id where n > 0) as made
      where store_id = ${storeId} returning store_id, id
    )
    insert into product_keys (store_id, id, price, stock, terms)
    select store_id, copies.id, price, stock, terms
    from copies join product_keys using (store_id) returning id
  `
  return ids(copies).map(({ id }) => id)
})

layer(CatalogTest, { excludeTestServices: true, timeout: "60 seconds" })("Catalog", (it) => {
  it.effect("a patch accepts values stored under older rules and keeps omitted fields", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const [validUrl, invalidUrl] = ["https://example.com/a", "https://example.com/a b"]
      const media = [{ url: validUrl }]
      const product = yield* perform(
        catalog.createProduct(storeId, toProduct({ name: "Desk", imageUrl: validUrl, media }))
      )
      const { id } = yield* perform(
        catalog.createCollection(storeId, toCollection({ title: "Desks", imageUrl: validUrl }))
      )
      for (const table of ["products", "collections"]) {
        yield* sql`
          update ${sql(table)} set document = replace(document::text, ${validUrl}, ${invalidUrl})::json where store_id = ${storeId}
        `
      }
      const changed = yield* perform(catalog.updateProduct(storeId, product.id, { stock: 3 }, "any"))
      assert.deepInclude(JSON.parse(changed.json), { stock: 3, imageUrl: invalidUrl, media: [{ url: invalidUrl }] })
      const collection = yield* perform(catalog.updateCollection(storeId, id, { description: "All" }, "any"))
      assert.deepInclude(JSON.parse(collection.json), { description: "All", imageUrl: invalidUrl })
    })
  )

  it.effect("events contain the actor of each change, and the installation if the actor is an app", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const apps = yield* Apps
      const { install } = yield* installing
      const storeId = yield* makeStore
      const appId = yield* apps.create({ name: "An app", ...NO_GRANTS })
      const { id: installationId } = yield* install({ storeId, appId, ...NO_GRANTS })
      for (const actor of [Actor.App({ id: installationId }), MERCHANT, AGENT]) {
        const perform = yield* performIn(storeId, actor)
        const product = yield* perform(catalog.createProduct(storeId, toProduct({ name: "Desk" })))
        yield* perform(catalog.updateProduct(storeId, product.id, { price: 1 }, "any"))
        const collection = yield* perform(catalog.createCollection(storeId, toCollection({ title: "Desks" })))
        yield* perform(catalog.updateCollection(storeId, collection.id, { description: "All" }, "any"))
        yield* perform(catalog.deleteCollection(storeId, collection.id, "any"))
        yield* perform(catalog.deleteProduct(storeId, product.id, "any"))
      }
      const rows = yield* sql`
        select kind, actor_type as actor, origin_installation_id as origin, resource_version as version,
          payload::json -> 'actor' ->> 'type' as "sentActor", payload::json ->> 'originInstallationId' as "sentOrigin"
        from events where store_id = ${storeId} order by id
      `
      const [product, collection] = ["catalog.product.updated.v1", "catalog.collection.updated.v1"]
      const expected = [
        { actor: "app", sentActor: "app", origin: installationId, sentOrigin: installationId },
        { actor: "merchant", sentActor: "merchant", origin: null, sentOrigin: null },
        { actor: "agent", sentActor: "agent", origin: null, sentOrigin: null }
      ].flatMap((writer) => [
        { kind: product, version: 1, ...writer },
        { kind: product, version: 2, ...writer },
        { kind: collection, version: 1, ...writer },
        { kind: collection, version: 2, ...writer }
      ])
      assert.deepStrictEqual(rows, expected)
    })
  )

  it.effect("writes join the transaction of the caller and are rolled back with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const existing = yield* perform(catalog.createProduct(storeId, toProduct({ name: "Kept" })))
      const manual = yield* perform(
        catalog.createCollection(storeId, toCollection({ title: "Kept", productIds: [existing.id] }))
      )
      const before = yield* sql`
        select s.product_count, (select count(*)::integer from events e where e.store_id = s.id) as events
        from stores s where id = ${storeId}
      `
      const undone = sql.withTransaction(
        Effect.gen(function* () {
          const created = yield* perform(catalog.createProduct(storeId, toProduct({ name: "Undone" })))
          yield* perform(catalog.updateCollection(storeId, manual.id, { productIds: [created.id] }, "any"))
          yield* perform(catalog.createCollection(storeId, toCollection({ title: "Undone", rules: named("Undone") })))
          yield* perform(catalog.deleteProduct(storeId, existing.id, "any"))
          return yield* Effect.fail("enough")
        })
      )
      assert.strictEqual(yield* Effect.flip(undone), "enough")
      assert.deepStrictEqual(
        yield* sql`
          select s.product_count, (select count(*)::integer from events e where e.store_id = s.id) as events
          from stores s where id = ${storeId}
        `,
        before
      )
      const products = yield* catalog.listProducts(storeId, { cursor: undefined, limit: 10 })
      assert.strictEqual(products.items, `[${existing.json}]`)
      const collections = yield* catalog.listCollections(storeId, { cursor: undefined, limit: 10 })
      assert.strictEqual(collections.items, `[${manual.json}]`)
    })
  )

  it.effect("writes to a deleted store fail and store nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const { id } = yield* perform(catalog.createCollection(storeId, toCollection({ title: "Desks" })))
      yield* sql`update stores set deleted_at = now() where id = ${storeId}`
      const errors = [
        yield* Effect.flip(perform(catalog.createProduct(storeId, toProduct({ name: "Desk" })))),
        yield* Effect.flip(perform(catalog.createCollection(storeId, toCollection({ title: "More" })))),
        yield* Effect.flip(perform(catalog.updateCollection(storeId, id, { title: "Changed" }, "any"))),
        yield* Effect.flip(perform(catalog.deleteCollection(storeId, id, "any")))
      ]
      for (const { _tag } of errors) assert.strictEqual(_tag, "StoreNotFound")
      const [rows] = yield* sql`select count(*)::integer as n from events where store_id = ${storeId}`
      assert.deepStrictEqual(rows, { n: 1 })
    })
  )

  it.effect("a collection is read from one snapshot: its products match its rules", () =>
    Effect.gen(function* () {
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const a = yield* perform(catalog.createProduct(storeId, toProduct({ name: "A" })))
      const b = yield* perform(catalog.createProduct(storeId, toProduct({ name: "B" })))
      const { id } = yield* perform(
        catalog.createCollection(storeId, toCollection({ title: "A or B", rules: named("A") }))
      )
      const idsByName = { A: a.id, B: b.id }
      const check = (collection: Collection) => {
        const name = JSON.stringify(collection.rules).includes('"A"') ? "A" : "B"
        assert.deepStrictEqual(collection.productIds, [idsByName[name]])
        assert.strictEqual(collection.description ?? "A", name)
        return name
      }
      const change = (name: string) =>
        perform(catalog.updateCollection(storeId, id, toPatch({ description: name, rules: named(name) }), "any"))
      const changes = Effect.forEach(
        Array.from({ length: 60 }, (_, order) => (order % 2 === 0 ? "B" : "A")),
        change
      )
      const read = Effect.map(catalog.getCollection(storeId, id), collectionOf)
      const list = Effect.map(catalog.listCollections(storeId, { cursor: undefined, limit: 10 }), ({ items }) =>
        Schema.decodeUnknownSync(Schema.Array(Collection))(JSON.parse(items))
      )
      const reads = Effect.replicateEffect(
        Effect.zipWith(read, list, (one, all) => [one, ...all]),
        60
      )
      const [written, seen] = yield* Effect.all([changes, reads], { concurrency: "unbounded" })
      for (const collection of [...written.map(collectionOf), ...seen.flat()]) check(collection)
    })
  )
})

/** Compares as text, so that a failed assertion does not print long lists. */
const holds = (document: { readonly json: string }, expected: ReadonlyArray<ProductId>) => {
  const { productCount, productIds } = collectionOf(document)
  assert.strictEqual(productCount, expected.length)
  assert.isTrue(productIds.join() === expected.join(), "other products or another order")
}

layer(CatalogTest, { excludeTestServices: true, timeout: "60 seconds" })("Large collections", (it) => {
  it.effect("a manual collection has at most 10,000 products in order; an automated one may have more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      const first = yield* perform(catalog.createProduct(storeId, toProduct({ name: "Desk" })))
      const copies = yield* copyProduct(storeId, MAX_MEMBERS)
      const all = [first.id, ...copies].toSorted()
      assert.strictEqual(all.length, 10_001)

      const automated = yield* perform(
        catalog.createCollection(storeId, toCollection({ title: "All", rules: named("desk") }))
      )
      holds(automated, all)
      const toManual = perform(catalog.updateCollection(storeId, automated.id, { type: "manual" }, "any"))
      const error = yield* Effect.flip(Effect.as(toManual, "it was done"))
      assert.deepInclude(error, { _tag: "TooManyMembers", count: 10_001 })
      assert.isTrue((yield* catalog.getCollection(storeId, automated.id)).json === automated.json)

      yield* perform(catalog.deleteProduct(storeId, first.id, "any"))
      const rest = all.filter((id) => id !== first.id)
      const converted = yield* toManual
      holds(converted, rest)
      assert.deepInclude(collectionOf(converted), { type: "manual", version: 2 })

      const productIds = rest.toReversed()
      holds(yield* perform(catalog.createCollection(storeId, toCollection({ title: "Hand", productIds }))), productIds)
      const [rows] = yield* sql`select count(*)::integer as n from collection_members where store_id = ${storeId}`
      assert.deepStrictEqual(rows, { n: 20_000 })
      yield* perform(catalog.deleteCollection(storeId, automated.id, "any"))
      const [left] = yield* sql`select count(*)::integer as n from collection_members where store_id = ${storeId}`
      assert.deepStrictEqual(left, { n: 10_000 })
    })
  )

  it.effect("an update writes only members that differ, and a new order updates no index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const storeId = yield* makeStore
      const perform = yield* performIn(storeId)
      yield* perform(catalog.createProduct(storeId, toProduct({ name: "Desk" })))
      const all = yield* copyProduct(storeId, 1200)
      const productIds = all.slice(0, 1000)
      const { id } = yield* perform(catalog.createCollection(storeId, toCollection({ title: "Hand", productIds })))
      const rows = sql<{ readonly id: string; readonly written: string }>`
        select product_id as id, xmin::text as written from collection_members where collection_id = ${id}
      `
      const indexBytes = Effect.map(
        sql<{ readonly bytes: number }>`select pg_indexes_size('collection_members')::integer as bytes`,
        ([row]) => row?.bytes ?? 0
      )
      /** Returns the number of rows that the change inserted or updated. */
      const writtenFor = Effect.fn(function* (memberIds: ReadonlyArray<ProductId>) {
        const before = new Map((yield* rows).map((row) => [row.id, row.written] as const))
        holds(yield* perform(catalog.updateCollection(storeId, id, { productIds: memberIds }, "any")), memberIds)
        holds(yield* catalog.getCollection(storeId, id), memberIds)
        return (yield* rows).filter((row) => before.get(row.id) !== row.written).length
      })
      const bytes = yield* indexBytes
      for (const memberIds of [productIds.toReversed(), productIds, productIds.toReversed(), productIds]) {
        assert.strictEqual(yield* writtenFor(memberIds), 1000)
      }
      assert.isBelow(yield* indexBytes, bytes * 1.25)
      const [first, second, ...rest] = all
      const swapped = [second, first, ...rest].filter((one) => one !== undefined)
      assert.strictEqual(yield* writtenFor(swapped.slice(0, 1000)), 2)
      assert.strictEqual(yield* writtenFor(swapped.slice(0, 1200)), 200)
      assert.strictEqual(yield* writtenFor(swapped.slice(0, 800)), 0)
      assert.strictEqual(yield* writtenFor(swapped.slice(0, 800)), 0)
      assert.strictEqual(yield* writtenFor([]), 0)
    })
  )
})
