import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { SearchResult, Search } from "../../../src/domain/catalog/Search.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeStore } from "../../support/http/Api.ts"
import { pagesOf } from "../../support/postgres/Pages.ts"
import { connection, databaseUrl, rowsOf } from "../../support/process/Process.ts"
import { endSessions } from "../../support/process/Workers.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { performIn } from "../../support/data/Writes.ts"

const SearchTest = Layer.provideMerge(DomainLive, PostgresTest)

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toFound = Schema.decodeUnknownSync(Schema.Array(SearchResult), { onExcessProperty: "error" })

const search = (storeId: StoreId, query: string, limit = 50) =>
  Effect.gen(function* () {
    const { products } = yield* Search
    return toFound(JSON.parse((yield* products(storeId, { query, limit })).items))
  })

const create = (storeId: StoreId, product: object) =>
  Effect.gen(function* () {
    const [{ createProduct }, perform] = [yield* Catalog, yield* performIn(storeId)]
    return yield* perform(createProduct(storeId, toProduct(product)))
  })

/** Copies a product. The copies share its search words. */
const copies = (storeId: StoreId, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      with first as materialized (select * from products where store_id = ${storeId} limit 1)
      insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets)
      select store_id, made.id, made.id, (document::jsonb || jsonb_build_object('id', made.id))::json, bytes, 1, 1, facets
      from first, (select uuid_v7(clock_micros()) as id from generate_series(1, ${count}::integer)) as made
    `
    yield* sql`
      insert into product_keys (store_id, id, price, stock, sku, barcode, terms)
      select p.store_id, p.id, k.price, k.stock, k.sku, k.barcode, k.terms
      from products p, (select * from product_keys where store_id = ${storeId} limit 1) k
      where p.store_id = k.store_id on conflict do nothing
    `
    yield* sql`select gin_clean_pending_list('product_keys_by_terms')`
    yield* sql`vacuum (analyze) product_keys, products, search_words`
  })

it.live("a search reads about as many pages in a store of 14,000 matching products as in one of half the size", () =>
  Effect.gen(function* () {
    const storeId = yield* makeStore()
    const tags = Array.from({ length: 26 }, (_, index) => `${String.fromCharCode(97 + index)}tag`)
    yield* create(storeId, { name: "Desk", sku: "SAME", tags })
    const queries = ["desk", "d", "dsek", "same", "sam", "a b c d e f g h", "x".repeat(255), "desk ".repeat(51)]
    const measured = Effect.forEach(queries, (query) =>
      Effect.map(pagesOf(search(storeId, query)), ({ pages }) => pages)
    )
    yield* copies(storeId, 7000)
    yield* measured
    const half = yield* measured
    yield* copies(storeId, 7000)
    const whole = yield* measured
    for (const [index, query] of queries.entries()) {
      assert.isAtMost(whole[index] ?? 0, 1.25 * (half[index] ?? 0) + 30, query)
    }
    assert.lengthOf(yield* search(storeId, "d"), 50)
  }).pipe(Effect.provide(SearchTest))
)

it.live("search finds a new product after a failover lost the words of earlier ones", () =>
  Effect.gen(function* () {
    const storeId = yield* makeStore()
    yield* create(storeId, { name: "Lantern" })
    const url = yield* databaseUrl
    const client = yield* connection(url)
    yield* rowsOf(client, "delete from search_words where store_id = $1", [storeId])
    yield* endSessions(client, url)
    // The first attempts may get a connection that has just ended.
    yield* Effect.retry(Effect.sandbox(create(storeId, { name: "Red lantern" })), { times: 10 })
    const names = (yield* search(storeId, "lantern")).map(({ name }) => name)
    assert.sameMembers(names, ["Lantern", "Red lantern"])
  }).pipe(Effect.provide(SearchTest))
)
