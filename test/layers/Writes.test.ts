import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../src/domain/access/AccessRule.ts"
import { Catalog } from "../../src/domain/catalog/Catalog.ts"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct, Product } from "../../src/domain/catalog/Product.ts"
import { EventKind } from "../../src/domain/Events.ts"
import type { StoreId } from "../../src/domain/Store.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { type Write, Writes } from "../../src/domain/Write.ts"
import { DomainLive, RepositoriesLive } from "../../src/layers/Domain.ts"
import { Outbox } from "../../src/layers/webhooks/Outbox.ts"
import { Recording, WritesLive } from "../../src/layers/Writes.ts"
import { makeApp, makeStore } from "../support/http/Api.ts"
import { OneConnectionTest, PostgresTest } from "../support/postgres/PostgresTest.ts"
import { contextOf, installing, performIn } from "../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const productOf = ({ json }: { readonly json: string }) => Schema.decodeUnknownSync(Product)(JSON.parse(json))

const cup = toProduct({ name: "Cup", slug: "cup" })

/** Row counts of a store in all tables that must agree. */
const rowCountsOf = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`
      select product_count as counted,
        (select count(*)::int from products where store_id = ${storeId}) as products,
        (select count(*)::int from product_keys where store_id = ${storeId}) as keys,
        (select count(*)::int from collections where store_id = ${storeId}) as collections,
        (select count(*)::int from events where store_id = ${storeId}) as events,
        (select count(*)::int from journal where store_id = ${storeId}) as journal
      from stores where id = ${storeId}
    `
    return row
  })

const countsFor = (products: number, collections = 0) => ({
  counted: products,
  products,
  keys: products,
  collections,
  events: products + collections,
  journal: products + collections
})

layer(Layer.provideMerge(DomainLive, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Writes",
  (it) => {
    it.effect("a write that fails with a domain error stores nothing in the surrounding transaction", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const catalog = yield* Catalog
        const storeId = yield* makeStore()
        const perform = yield* performIn(storeId)
        const create = perform(catalog.createProduct(storeId, cup))
        const outcome = yield* sql.withTransaction(Effect.all([create, Effect.result(create)]))
        assert.strictEqual(Result.isFailure(outcome[1]) ? outcome[1].failure._tag : "", "SlugTaken")
        assert.deepStrictEqual(yield* rowCountsOf(storeId), countsFor(1))
      })
    )

    it.effect("a write that fails with a database error stores nothing in the surrounding transaction", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const catalog = yield* Catalog
        const storeId = yield* makeStore()
        const perform = yield* performIn(storeId)
        const create = (name: string) => perform(catalog.createProduct(storeId, toProduct({ name })))
        yield* sql`create unique index one_plate on products ((document ->> 'name')) where document ->> 'name' = 'Plate'`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* create("Plate")
            assert.strictEqual((yield* Effect.exit(create("Plate")))._tag, "Failure")
            yield* create("Bowl")
          })
        )
        assert.deepStrictEqual(yield* rowCountsOf(storeId), countsFor(2))
      })
    )

    it.effect(
      "a dry run returns the result or error of the write and stores no resource, count, event or journal entry",
      () =>
        Effect.gen(function* () {
          const { perform } = yield* Writes
          const sql = yield* SqlClient.SqlClient
          const catalog = yield* Catalog
          const storeId = yield* makeStore()
          const context = contextOf(storeId)
          const dryRun = <A, E>(write: Write<A, E>) => perform({ ...context, mode: "dryRun" }, write)
          const created = productOf(yield* dryRun(catalog.createProduct(storeId, cup)))
          assert.deepInclude(created, { name: "Cup", slug: "cup", version: 1 })
          assert.deepStrictEqual(yield* rowCountsOf(storeId), countsFor(0))

          const { id, json } = yield* perform(context, catalog.createProduct(storeId, cup))
          const error = yield* Effect.flip(dryRun(catalog.createProduct(storeId, cup)))
          assert.strictEqual(error._tag, "SlugTaken")
          const changed = yield* dryRun(catalog.updateProduct(storeId, id, { price: 2, slug: "mug" }, "any"))
          assert.deepInclude(productOf(changed), { price: 2, slug: "mug", version: 2 })
          yield* dryRun(catalog.deleteProduct(storeId, id, "any"))
          const shelf = toCollection({ title: "Shelf", productIds: [id] })
          yield* dryRun(catalog.createCollection(storeId, shelf))
          assert.deepStrictEqual(yield* rowCountsOf(storeId), countsFor(1))

          // Inside a transaction, a dry run rolls back only its own part.
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* perform(context, catalog.createCollection(storeId, shelf))
              yield* dryRun(catalog.createProduct(storeId, toProduct({ name: "Jug" })))
            })
          )
          assert.deepStrictEqual(yield* rowCountsOf(storeId), countsFor(1, 1))
          const { items } = yield* catalog.listProducts(storeId, { cursor: undefined, limit: 10 })
          assert.strictEqual(items, `[${json}]`)
        })
    )

    it.effect("a delivery sends a notification after the commit; dry runs, failed writes and deletions send none", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const catalog = yield* Catalog
        const { subscribe } = yield* Webhooks
        const { install } = yield* installing
        const [storeId, appId] = [yield* makeStore(), yield* makeApp()]
        yield* install({ storeId, appId, ...ALL_GRANTS })
        yield* subscribe(appId, { url: "https://example.com/hooks", kinds: EventKind.literals })
        let notifications = 0
        const outbox = Outbox.of({
          ...(yield* Outbox.make),
          notifyAfterCommit: sql.afterCommit(Effect.sync(() => void (notifications += 1)))
        })
        const counting = Layer.fresh(WritesLive).pipe(
          // Fresh, as layers are shared: those of `DomainLive` have the real outbox.
          Layer.provide(Layer.fresh(Recording.layer)),
          Layer.provide(Layer.succeed(Outbox, outbox)),
          Layer.provide(RepositoriesLive)
        )
        const { perform } = yield* Effect.provide(Writes, counting)
        const notificationsOf = <A, E>(write: Write<A, E>, commits = true) =>
          Effect.gen(function* () {
            notifications = 0
            const mode = commits ? "perform" : "dryRun"
            const outcome = yield* Effect.result(perform({ ...contextOf(storeId), mode }, write))
            return { outcome, notifications }
          })
        const create = catalog.createProduct(storeId, cup)
        assert.strictEqual((yield* notificationsOf(create, false)).notifications, 0)
        const { between, outcome } = yield* sql.withTransaction(
          Effect.map(notificationsOf(create), ({ notifications, outcome }) => ({ outcome, between: notifications }))
        )
        assert.strictEqual(between, 0)
        assert.strictEqual(notifications, 1)
        assert.strictEqual((yield* notificationsOf(create)).notifications, 0)
        const { id } = Result.getOrThrow(outcome)
        assert.strictEqual((yield* notificationsOf(catalog.updateProduct(storeId, id, {}, "any"))).notifications, 0)
        assert.strictEqual(
          (yield* notificationsOf(catalog.updateProduct(storeId, id, { price: 2 }, "any"))).notifications,
          1
        )
        assert.strictEqual((yield* notificationsOf(catalog.deleteProduct(storeId, id, "any"))).notifications, 0)
      })
    )
  }
)

const selectPlanned = (sql: SqlClient.SqlClient) => sql`
  select generic_plans > 0 as "isKept" from pg_prepared_statements
  where custom_plans + generic_plans = 8 and statement like '%insert into deliveries%'
`

layer(Layer.provideMerge(DomainLive, OneConnectionTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Writes on one connection",
  (it) => {
    it.effect("the statements of a write use a generic plan, even in a store with few installations", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const catalog = yield* Catalog
        const storeId = yield* makeStore()
        const others = yield* makeStore()
        yield* sql`insert into apps (id, name, scopes) select uuidv7(), n, array[]::text[] from generate_series(1, 500) as n`
        yield* sql`insert into installations (store_id, id, app_id, scopes) select ${others}, uuidv7(), id, '{read_products}' from apps`
        yield* sql`analyze`
        const perform = yield* performIn(storeId)
        for (let price = 0; price < 8; price++) {
          const create = catalog.createProduct(storeId, toProduct({ name: `Cup no${price}`, price }))
          const { id } = yield* perform(create)
          // The words of the first product are stored now, so the second one uses another statement.
          yield* perform(create)
          yield* perform(catalog.updateProduct(storeId, id, { stock: 1 }, "any"))
        }
        const writes = yield* selectPlanned(sql)
        assert.deepStrictEqual(writes, [{ isKept: true }, { isKept: true }, { isKept: true }])
      })
    )
  }
)
