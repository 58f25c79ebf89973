import { assert, it } from "@effect/vitest"
import { Array, Effect, Layer, Record, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../src/domain/catalog/Product.ts"
import { Catalog } from "../../src/domain/catalog/Catalog.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { AdmissionPool, postgres } from "../../src/layers/sql/Postgres.ts"
import { TracingLive } from "../../src/layers/telemetry/Telemetry.ts"
import { ServerLive } from "../../src/Server.ts"
import { countingProxy } from "../support/costs/CountingProxy.ts"
import { countingCopies, makeCounters } from "../support/costs/Counters.ts"
import { putOrders } from "../support/data/Records.ts"
import { performIn } from "../support/data/Writes.ts"
import { baseUrl, type Client, install, makeClient, makeStore, TemporaryData } from "../support/http/Api.ts"
import { Listening } from "../support/http/Installation.ts"
import { migratedDatabase } from "../support/postgres/Postgres.ts"

/**
 * Counts of one request: statements without BEGIN and COMMIT, and how many of them PostgreSQL plans anew; round trips and
 * bytes to the database; Effect operations, spans, captured stacks and copied services; bytes of the response.
 */
const COUNTS = [
  "statements",
  "plans",
  "roundTrips",
  "sqlBytes",
  "operations",
  "spans",
  "stacks",
  "copied",
  "bytes"
] as const

/** Counts of each request, in the order of {@link COUNTS}. A change that raises one says why in its commit. */
const COSTS: Readonly<Record<string, ReadonlyArray<number>>> = {
  "page of 50 products": [2, 0, 2, 293, 296, 0, 0, 143, 36789],
  "page of 5 products": [2, 0, 2, 291, 297, 0, 0, 143, 4081],
  collection: [3, 0, 3, 540, 369, 0, 0, 143, 737],
  "page of 50 orders": [2, 0, 2, 293, 290, 0, 0, 143, 21495],
  "app data, get": [2, 0, 2, 288, 289, 0, 0, 143, 517],
  "app data, put": [2, 0, 2, 506, 332, 0, 0, 143, 517],
  "create a product": [3, 0, 5, 5377, 536, 1, 0, 576, 1117],
  "patch a product": [3, 0, 5, 4717, 539, 1, 0, 576, 1113],
  "change the stock": [3, 0, 5, 4722, 540, 1, 0, 576, 1114]
}

/** Part of a count by which a request may differ from the table. Counts below ten are exact. */
const TOLERANCE = 0.1

/** Lists the counts that differ from the table, each beside it. */
const differences = (found: Readonly<Record<string, ReadonlyArray<number>>>) =>
  Object.entries(found).flatMap(([request, counts]) =>
    COUNTS.flatMap((name, at) => {
      const [count = 0, listed = -1] = [counts[at], COSTS[request]?.[at]]
      const differs = Math.abs(count - listed) > TOLERANCE * listed
      return differs ? [`${request}: ${name} ${count}, listed ${listed}; all are ${JSON.stringify(counts)}`] : []
    })
  )

/** Requests before the measurement: PostgreSQL plans the first five anew, and decides then. */
const WARM_UP = 8
const MEASURED = 5

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const product = (name: string) => ({ name, price: 1, tags: ["cups"], sku: "CUP" })
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const decodeCounts = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ statements: Schema.Int, plans: Schema.Int })])
)

const executed = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`
      select coalesce(sum(custom_plans + generic_plans), 0)::integer as statements,
        coalesce(sum(custom_plans), 0)::integer as plans
      from pg_prepared_statements where statement !~ '^(BEGIN|COMMIT)$|pg_prepared_statements'
    `,
    (rows) => decodeCounts(rows)[0]
  )

/** Without the statement that stores recent requests every few seconds. */
const median = (counts: ReadonlyArray<number>) => counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0

/** The requests to measure, each by an app of its own, whose rate window they do not fill. */
const makeRequests = Effect.gen(function* () {
  const storeId = yield* makeStore()
  const perform = yield* performIn(storeId)
  const catalog = yield* Catalog
  const created = yield* Effect.forEach(Array.range(1, 60), (n) =>
    perform(catalog.createProduct(storeId, toProduct(product(`Cup no${n}`))))
  )
  const [{ id } = assert.fail()] = created
  const collection = yield* perform(catalog.createCollection(storeId, toCollection({ title: "Cups" })))
  yield* putOrders(
    storeId,
    Array.makeBy(60, (n) => ({ number: String(n) }))
  )
  let run = 0
  const requests = {
    "page of 50 products": ({ get }: Client) => get("/products?limit=50"),
    "page of 5 products": ({ get }: Client) => get("/products?limit=5"),
    collection: ({ get }: Client) => get(`/collections/${collection.id}`),
    "page of 50 orders": ({ get }: Client) => get("/orders?limit=50"),
    "app data, get": ({ get }: Client) => get("/app-data/theme?key=color"),
    "app data, put": ({ put }: Client) => put("/app-data/theme", { key: "color", value: "1" }),
    "create a product": ({ post }: Client) => post("/products", product(`Mug no${(run += 1)}`)),
    "patch a product": ({ patch }: Client) => patch(`/products/${id}`, { price: (run += 1) }),
    "change the stock": ({ patch }: Client) => patch(`/products/${id}/inventory`, { stock: (run += 1) })
  }
  return { requests, storeId }
})

it.live("each request costs as many statements, round trips, operations, spans, copies and bytes as listed", () =>
  Effect.gen(function* () {
    const database = yield* countingProxy(Redacted.value(yield* migratedDatabase))
    const { layer, work } = makeCounters()
    const service = ServerLive.pipe(
      Layer.provideMerge(Listening),
      Layer.provideMerge(Layer.provide(DomainLive, TemporaryData)),
      // One connection, whose session counts the plans of every statement.
      Layer.provideMerge(postgres({ url: Redacted.make(database.url), maxConnections: 1 })),
      // As in a process without an exporter.
      Layer.provide(TracingLive),
      Layer.provide(layer)
    )
    const found = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admission = yield* AdmissionPool
      const proxy = yield* countingProxy(yield* baseUrl)
      const { requests, storeId } = yield* makeRequests
      yield* sql`analyze`

      const plans = Effect.zipWith(executed(sql), executed(admission.sql), (a, b) => ({
        statements: a.statements + b.statements,
        plans: a.plans + b.plans
      }))
      const measure = Effect.fnUntraced(function* (request: (client: Client) => ReturnType<Client["send"]>) {
        const { client } = yield* install(storeId)
        yield* client.put("/app-data/theme", { key: "color", value: "1" })
        const counted = makeClient(new URL(proxy.url).origin, client.token)
        const counts = () => {
          const { roundTrips, sent } = database.traffic()
          return { roundTrips, sqlBytes: sent, bytes: proxy.traffic().received, ...work() }
        }
        const repeat = (times: number) =>
          Effect.promise(() =>
            countingCopies(async () => {
              const all = [counts()]
              for (let n = 0; n < times; n++) {
                const { status, text } = await Effect.runPromise(request(counted))
                assert.isBelow(status, 300, text)
                all.push(counts())
              }
              return all
            })
          )
        yield* repeat(WARM_UP)
        const before = yield* plans
        const all = yield* repeat(MEASURED)
        const after = yield* plans
        return COUNTS.map((name) =>
          name === "statements" || name === "plans"
            ? Math.round((after[name] - before[name]) / MEASURED)
            : median(all.slice(1).map((one, at) => one[name] - (all[at]?.[name] ?? 0)))
        )
      })
      return yield* Effect.all(Record.map(requests, measure))
    }).pipe(Effect.provide(service))
    assert.sameMembers(Object.keys(found), Object.keys(COSTS))
    assert.deepStrictEqual(differences(found), [])
  }).pipe(Effect.scoped)
)
