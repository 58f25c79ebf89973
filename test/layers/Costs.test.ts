import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Record as Records, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../src/domain/catalog/Catalog.ts"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../src/domain/catalog/Product.ts"
import { Idempotency } from "../../src/domain/Idempotency.ts"
import { AppData } from "../../src/domain/records/AppData.ts"
import { Orders } from "../../src/domain/records/Order.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { appContext, encode, keyed } from "../support/data/KeyedWrites.ts"
import { makeInstallation } from "../support/http/Api.ts"
import { OneConnectionTest } from "../support/postgres/PostgresTest.ts"
import { performIn } from "../support/data/Writes.ts"

/** Statements of a request without BEGIN, COMMIT and the notification of workers, and how many of them PostgreSQL plans anew each time. */
interface Cost {
  readonly statements: number
  readonly plans: number
}

/** A change that raises a figure says why in its commit. */
const COSTS: Readonly<Record<string, Cost>> = {
  "page of 50 products": { statements: 1, plans: 0 },
  "page of 5 products": { statements: 1, plans: 0 },
  product: { statements: 1, plans: 0 },
  collection: { statements: 2, plans: 0 },
  "page of 50 orders": { statements: 1, plans: 0 },
  "app data, get": { statements: 1, plans: 0 },
  "app data, put": { statements: 1, plans: 0 },
  "app data, put with its idempotency record": { statements: 1, plans: 0 },
  "create a product": { statements: 2, plans: 0 },
  "patch a product": { statements: 2, plans: 0 },
  "change the stock": { statements: 2, plans: 0 }
}

/** Runs before the measurement: PostgreSQL plans the first five anew, and decides then. */
const WARM_UP = 8
const MEASURED = 5

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const product = (name: string) => toProduct({ name, price: 1, tags: ["cups"], sku: "CUP" })
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const decodeCounts = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ executed: Schema.Int, plans: Schema.Int })])
)

layer(Layer.provideMerge(DomainLive, OneConnectionTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Costs of requests",
  (it) => {
    it.effect("each kind of request sends as many statements as listed, and none is planned anew", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const catalog = yield* Catalog
        const orders = yield* Orders
        const appData = yield* AppData
        const { once } = yield* Idempotency
        const installation = yield* makeInstallation()
        const { storeId } = installation
        const perform = yield* performIn(storeId)
        const counted = Effect.map(
          sql`
            select coalesce(sum(custom_plans + generic_plans), 0)::integer as executed,
              coalesce(sum(custom_plans), 0)::integer as plans
            from pg_prepared_statements where statement !~ '^(BEGIN|COMMIT)$|pg_prepared_statements|pg_notify'
          `,
          (rows) => decodeCounts(rows)[0]
        )
        const created = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, n) => n),
          (n) => perform(catalog.createProduct(storeId, product(`Cup no${n}`)))
        )
        const [{ id } = assert.fail()] = created
        const collection = yield* perform(catalog.createCollection(storeId, toCollection({ title: "Cups" })))
        yield* sql`analyze`

        let run = 0
        const requests = {
          "page of 50 products": catalog.listProducts(storeId, { cursor: undefined, limit: 50 }),
          "page of 5 products": catalog.listProducts(storeId, { cursor: undefined, limit: 5 }),
          product: catalog.getProduct(storeId, id),
          collection: catalog.getCollection(storeId, collection.id),
          "page of 50 orders": orders.list(storeId, { cursor: undefined, limit: 50, isPersonal: true }),
          "app data, get": appData.get(installation, "theme", "color"),
          "app data, put": perform(appData.put(installation, "theme", { key: "color", value: "1" })),
          "app data, put with its idempotency record": Effect.suspend(() => {
            const put = appData.put(installation, "theme", { key: "color", value: "1" })
            return once(appContext(installation), keyed(`put-${(run += 1)}`), put, encode)
          }),
          "create a product": Effect.suspend(() =>
            perform(catalog.createProduct(storeId, product(`Cup no${(run += 1)}`)))
          ),
          "patch a product": Effect.suspend(() =>
            perform(catalog.updateProduct(storeId, id, { price: (run += 1) }, "any"))
          ),
          "change the stock": Effect.suspend(() =>
            perform(catalog.setInventory(storeId, id, { stock: (run += 1) }, "any"))
          )
        }
        yield* requests["app data, put"]
        const measure = <A, E>(request: Effect.Effect<A, E>) =>
          Effect.gen(function* () {
            yield* Effect.repeat(request, { times: WARM_UP - 1 })
            const before = yield* counted
            yield* Effect.repeat(request, { times: MEASURED - 1 })
            const after = yield* counted
            const cost: Cost = {
              statements: (after.executed - before.executed) / MEASURED,
              plans: (after.plans - before.plans) / MEASURED
            }
            return cost
          })
        const found = yield* Effect.all(Records.map(requests, (request) => measure<unknown, unknown>(request)))
        assert.deepStrictEqual(found, COSTS)
      })
    )
  }
)
