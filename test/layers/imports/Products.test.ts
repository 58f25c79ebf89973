import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { type WriteContext, Writes } from "../../../src/domain/Write.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeApp, makeStore } from "../../support/http/Api.ts"
import { OneConnectionTest, PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { importItem } from "../../support/data/Imports.ts"
import { contextOf, installing, performIn } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const putOf = (input: object, place: number) => importItem(`p${place}`, input)

const slugsOf = (storeId: StoreId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`select slug from products where store_id = ${storeId} order by id`, (rows) =>
      rows.map(({ slug }) => slug)
    )
  )

/** Selects the rows of products in all tables, without ids and times. */
const tracesOf = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select p.slug, p.version, p.bytes, p.bytes_of, p.description, k.price, k.stock, cardinality(k.terms) as terms,
        p.facets - 'createdAt' - 'updatedAt' as facets, json_array_length(p.document -> 'variants') as variants,
        p.document::jsonb - 'id' - 'createdAt' - 'updatedAt' - 'variants' as document,
        p.document::text = j.after as "isRecorded", j.part, j.resource, j.version as "journalVersion", j.before, j.omitted, j.hops,
        j.at = (p.document ->> 'createdAt')::timestamptz as "isDated",
        e.kind, e.resource_version, e.payload::jsonb #> '{data,product}' = p.document::jsonb as "isSent",
        (select count(*)::int from deliveries d where d.event_id = e.id) as deliveries
      from products p
      join product_keys k using (store_id, id)
      join journal j on j.resource_id = p.id
      join events e on e.id = j.id
      where p.store_id = ${storeId} order by p.id
    `
  )

/** A batch of the size that imports use. */
const batchOf = (batch: number) =>
  Array.from({ length: 250 }, (_, n) => importItem(`${batch}-${n}`, { name: `Cup ${batch} ${n}` }))

/** Counts the index entries that were read. */
const readCount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly entries: string }>`
    select sum(idx_tup_read) as entries from pg_stat_user_indexes
  `
  return Number(row?.entries)
})

const PRODUCTS = [
  { name: "Cup", price: 1, tags: ["red", "Blue"], vendorName: "Ann", description: 'Says "hi"\nand \\ goes' },
  { name: "Füße, {groß}", description: null, discountedPrice: 2, variants: [{ sku: "A" }, { price: 3 }] },
  { name: "Exact", metafields: { a: [1, { b: null }] }, customFields: [{ "\n": "\t" }], category: 'a"b' }
]

layer(Layer.provideMerge(DomainLive, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Imported products",
  (it) => {
    it.effect("imported products store the same rows, journal entries and events as single creates", () =>
      Effect.gen(function* () {
        const catalog = yield* Catalog
        const imports = yield* Imports
        const [one, together] = [yield* makeStore(), yield* makeStore()]
        const appId = yield* makeApp()
        const { install } = yield* installing
        const { subscribe } = yield* Webhooks
        yield* subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
        for (const storeId of [one, together])
          yield* install({ storeId, appId, scopes: ["read_products"], capabilities: [] })
        const create = yield* performIn(one)
        for (const input of PRODUCTS) yield* create(catalog.createProduct(one, toProduct(input)))
        const put = yield* performIn(together)
        yield* put(imports.putProducts(together, PRODUCTS.map(putOf), 0))
        const traces = yield* tracesOf(one)
        assert.deepStrictEqual(
          traces.map(({ deliveries }) => deliveries),
          [1, 1, 1]
        )
        assert.deepStrictEqual(yield* tracesOf(together), traces)
      })
    )

    it.effect("generated slugs differ from existing ones and from earlier ones in the batch", () =>
      Effect.gen(function* () {
        const catalog = yield* Catalog
        const { putProducts } = yield* Imports
        const storeId = yield* makeStore()
        const perform = yield* performIn(storeId)
        for (const slug of ["cup", "cup-2", "mug"]) {
          yield* perform(catalog.createProduct(storeId, toProduct({ name: "First", slug })))
        }
        const inputs = [
          { name: "Cup" },
          { name: "Cup" },
          { name: "New", slug: "new" },
          { name: "New" },
          { name: "Other", slug: "new" },
          { name: "Mug", slug: "mug" },
          { name: "!" },
          { name: "!" }
        ]
        const { outcomes } = yield* perform(putProducts(storeId, inputs.map(putOf), 0))
        assert.deepStrictEqual(
          outcomes.map((outcome) => Result.merge(Result.mapError(outcome, ({ _tag }) => _tag))),
          ["created", "created", "created", "created", "SlugTaken", "SlugTaken", "created", "created"]
        )
        const slugs = yield* slugsOf(storeId)
        assert.deepStrictEqual(slugs.slice(3, 7), ["cup-3", "cup-4", "new", "new-2"])
        for (const slug of slugs.slice(7)) assert.match(String(slug), /^product-[0-9a-f]{8}$/)
        // Swapping slugs within a batch fails, as it would in separate writes.
        const swap = [
          { name: "Cup", slug: "cup-4" },
          { name: "Cup", slug: "cup-3" }
        ]
        const swapped = yield* perform(putProducts(storeId, swap.map(putOf), 0))
        assert.isTrue(swapped.outcomes.every((outcome) => Result.isFailure(outcome)))
      })
    )

    it.effect("a rolled-back batch stores no search words, and later batches store all of theirs", () =>
      Effect.gen(function* () {
        const { putProducts } = yield* Imports
        const { perform } = yield* Writes
        const storeId = yield* makeStore()
        const context = contextOf(storeId)
        const importProducts = (mode: WriteContext["mode"], ...names: ReadonlyArray<string>) => {
          const puts = names.map((name) => importItem(name, { name }))
          return perform({ ...context, mode }, putProducts(storeId, puts, 0))
        }
        const sql = yield* SqlClient.SqlClient
        const words = Effect.map(
          sql<{ word: string }>`select word from search_words where store_id = ${storeId} order by word`,
          (rows) => rows.map(({ word }) => word)
        )
        yield* importProducts("dryRun", "Red cup")
        assert.deepStrictEqual(yield* words, [])
        yield* importProducts("perform", "Red cup", "Blue cup")
        yield* importProducts("perform", "Red mug")
        assert.deepStrictEqual(yield* words, ["blue", "cup", "mug", "red"])
      })
    )

    it.effect(
      "products are created up to the limit of the plan; those after the first excess one are not processed",
      () =>
        Effect.gen(function* () {
          const { putProducts } = yield* Imports
          const storeId = yield* makeStore()
          const perform = yield* performIn(storeId)
          const sql = yield* SqlClient.SqlClient
          yield* sql`update stores set product_count = (select product_limit from plans where name = plan) - 1`
          const inputs = [{ name: "A" }, { name: "B" }, { name: "C" }]
          const { limit, outcomes } = yield* perform(putProducts(storeId, inputs.map(putOf), 0))
          assert.deepStrictEqual(outcomes.map(Result.merge), ["created"])
          assert.strictEqual(limit._tag, "Some")
          // An update of an existing product does not count towards the limit.
          const again = yield* perform(putProducts(storeId, [{ name: "A", price: 2 }].map(putOf), 0))
          assert.deepStrictEqual(again.outcomes.map(Result.merge), ["updated"])
        })
    )
  }
)

layer(Layer.provideMerge(DomainLive, OneConnectionTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Imported products on one connection",
  (it) => {
    it.effect(
      "an import of 250 products reads at most 1,000 index entries, also beside stores with many products",
      () =>
        Effect.gen(function* () {
          const { putProducts } = yield* Imports
          const sql = yield* SqlClient.SqlClient
          const importProducts = (storeId: StoreId, batch: number) =>
            Effect.flatMap(performIn(storeId), (perform) => perform(putProducts(storeId, batchOf(batch), 0)))
          const others = yield* makeStore()
          yield* Effect.forEach([0, 1, 2, 3], (batch) => importProducts(others, batch))
          yield* sql`analyze`
          const storeId = yield* makeStore()
          // A connection uses generic plans from the sixth execution on.
          yield* Effect.forEach(
            Array.from({ length: 16 }, (_, batch) => batch),
            (batch) => importProducts(storeId, batch)
          )
          const before = yield* readCount
          yield* importProducts(storeId, 16)
          // Each product reads its id, its word and the rows of its foreign keys; the batch reads a few shared words.
          assert.isAtMost((yield* readCount) - before, 4 * 250)
        })
    )
  }
)
