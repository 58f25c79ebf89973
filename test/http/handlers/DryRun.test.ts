import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { LARGE_RESPONSE } from "../../../src/domain/Idempotency.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { type Answer, IsolatedApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"
import { databaseUrl, duringWork, lockStore, waitForLockWaits } from "../../support/process/Process.ts"
import { callTool, freshAgent } from "../../support/rpc/Mcp.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { installing } from "../../support/data/Writes.ts"

const DRY_RUN_HEADERS = { prefer: "handling=dry-run" }
const dryRunOptions = { headers: DRY_RUN_HEADERS }

const toProduct = Schema.decodeUnknownSync(CreateProduct)

const AnyRecord = Schema.Record(Schema.String, Schema.Unknown)
const decodeDryRun = Schema.decodeUnknownSync(
  Schema.Struct({
    data: AnyRecord,
    dryRun: Schema.Literal(true),
    events: Schema.Array(AnyRecord),
    collections: Schema.Unknown
  }),
  { onExcessProperty: "error" }
)
const dryRunOf = ({ json }: Answer) => decodeDryRun(json)

const TableContents = Schema.Array(Schema.Struct({ name: Schema.String, rows: Schema.String }))

/** Checksum and row count of every table, except those that admission writes. */
const tableContents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and relname not in ('rate_windows', 'agent_windows', 'merchant_call_windows', 'sessions', 'recent_requests')
    order by relname
  `
  return Schema.decodeUnknownSync(TableContents)(
    yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql.unsafe<{ readonly rows: string }>(
          `select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) || count(*) as rows from ${name} t`
        ),
        ([found]) => ({ name, rows: found?.rows })
      )
    )
  )
})

/** Installs an app with all grants and a webhook for every event kind. */
const installSubscriber = Effect.fn(function* (storeId: StoreId, name: string) {
  const appId = yield* Effect.flatMap(Apps, ({ create }) => create({ name, ...ALL_GRANTS }))
  const { id } = yield* Effect.flatMap(installing, ({ install }) => install({ storeId, appId, ...ALL_GRANTS }))
  yield* Effect.flatMap(Webhooks, ({ subscribe }) =>
    subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
  )
  return { installationId: id, appName: name }
})

const references = (...collections: ReadonlyArray<Record<string, unknown>>) =>
  collections.map(({ id, title }) => ({ id, title }))

const tagged = (value: string) => [{ field: "tags", relation: "equals", value }]

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Dry runs", (it) => {
  it.effect("a dry run returns the result, events and collections of every kind of write, and changes no table", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const subscriber = yield* installSubscriber(storeId, "Search")
      const existing = dataOf(yield* client.post("/products", { name: "Cup", tags: ["tea"] }))
      const other = dataOf(yield* client.post("/products", { name: "Jug" }))
      const collection = (body: object) => Effect.map(client.post("/collections", body), dataOf)
      const tea = yield* collection({ title: "Tea", rules: tagged("tea") })
      const sale = yield* collection({ title: "Sale", rules: tagged("sale") })
      const shelf = yield* collection({ title: "Shelf", productIds: [other["id"], existing["id"]] })
      yield* collection({ title: "Nothing", rules: [] })
      const product = `/products/${existing["id"]}`
      const before = yield* tableContents

      const created = yield* client.post("/products", { name: "Cup", tags: ["SALE"] }, dryRunOptions)
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("etag"))
      assert.strictEqual(created.headers.get("preference-applied"), "handling=dry-run")
      const create = dryRunOf(created)
      assert.deepInclude(create.data, { name: "Cup", slug: "cup-2", version: 1, tags: ["SALE"] })
      const event = { kind: "catalog.product.updated.v1", version: 1, recipients: [subscriber] }
      assert.deepStrictEqual(create.events, [{ ...event, resourceId: create.data["id"] }])
      const none = { entersCount: 0, leavesCount: 0, enters: [], leaves: [] }
      assert.deepStrictEqual(create.collections, { ...none, entersCount: 1, enters: references(sale) })

      const update = dryRunOf(yield* client.patch(product, { tags: ["sale"] }, dryRunOptions))
      assert.deepInclude(update.data, { id: existing["id"], version: 2, tags: ["sale"] })
      assert.deepStrictEqual(update.events, [{ ...event, resourceId: existing["id"], version: 2 }])
      assert.deepStrictEqual(update.collections, {
        entersCount: 1,
        leavesCount: 1,
        enters: references(sale),
        leaves: references(tea)
      })
      const unchanged = dryRunOf(yield* client.patch(product, { name: "Cup" }, dryRunOptions))
      assert.deepStrictEqual(unchanged, { data: existing, dryRun: true, events: [], collections: null })

      const inventory = dryRunOf(
        yield* client.patch(`${product}/inventory`, { adjust: 3, reason: "Found" }, dryRunOptions)
      )
      assert.deepInclude(inventory.data, { stock: 3, version: 2 })
      assert.deepStrictEqual(inventory.collections, none)

      const deletedProduct = dryRunOf(yield* client.delete(product, dryRunOptions))
      assert.deepStrictEqual(deletedProduct.data, { id: existing["id"], deleted: true })
      assert.deepStrictEqual(deletedProduct.events, [])
      assert.deepStrictEqual(deletedProduct.collections, { ...none, leavesCount: 2, leaves: references(tea, shelf) })

      const createdCollection = dryRunOf(
        yield* client.post("/collections", { title: "Shop", rules: tagged("tea") }, dryRunOptions)
      )
      assert.deepInclude(createdCollection.data, { title: "Shop", productIds: [existing["id"]], productCount: 1 })
      assert.strictEqual(createdCollection.events[0]?.["kind"], "catalog.collection.updated.v1")
      assert.isNull(createdCollection.collections)
      const emptied = dryRunOf(yield* client.patch(`/collections/${shelf["id"]}`, { productIds: [] }, dryRunOptions))
      assert.deepInclude(emptied.data, { version: 2, productIds: [] })
      const deletedCollection = dryRunOf(yield* client.delete(`/collections/${tea["id"]}`, dryRunOptions))
      assert.deepStrictEqual(deletedCollection.data, { id: tea["id"], deleted: true })
      dryRunOf(yield* client.put("/app-data/settings", { key: "theme", value: 1 }, dryRunOptions))

      assert.deepStrictEqual(yield* tableContents, before)
    })
  )

  it.effect("a dry run is rejected like the write and does not use its idempotency key", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ plan: "free" })
      const key = "one"
      const cup = { name: "Cup", slug: "cup" }
      assert.deepInclude(dryRunOf(yield* client.post("/products", cup, { ...dryRunOptions, key })).data, {
        slug: "cup"
      })
      const created = yield* client.post("/products", cup, { key })
      assert.strictEqual(created.status, 201)
      assert.isNull(created.headers.get("idempotent-replayed"))
      assert.strictEqual((yield* client.post("/products", cup, { key })).headers.get("idempotent-replayed"), "true")
      // A stored response does not affect a dry run with the same key.
      const product = `/products/${dataOf(created)["id"]}`
      const requests = [
        ["POST", "/products", cup, {}],
        ["PATCH", product, { price: -1 }, {}],
        ["PATCH", product, { price: 1 }, { "if-match": '"7"' }],
        ["PATCH", `${product}/inventory`, { adjust: -1 }, {}],
        ["DELETE", "/products/01890a5d-ac96-774b-bcce-b302099a8057", undefined, {}],
        ["POST", "/collections", { title: "Gone", productIds: ["01890a5d-ac96-774b-bcce-b302099a8057"] }, {}]
      ] as const
      for (const [method, path, body, headers] of requests) {
        const send = (extraHeaders: object) =>
          client.send(method, path, {
            headers: { ...headers, ...extraHeaders },
            ...(body === undefined ? {} : { body })
          })
        const rejected = yield* send({})
        const dryRun = yield* client.send(method, path, {
          key,
          headers: { ...headers, ...DRY_RUN_HEADERS },
          ...(body === undefined ? {} : { body })
        })
        assert.deepStrictEqual([dryRun.status, errorOf(dryRun)], [rejected.status, errorOf(rejected)])
      }
      const strict = { headers: { prefer: 'handling=strict, respond-async, Handling="dry-run"' } }
      assert.strictEqual((yield* client.post("/products", { name: "Cup", colour: 1 }, strict)).status, 400)
      const strictDryRun = yield* client.post("/products", { name: "Cup" }, strict)
      assert.strictEqual(strictDryRun.headers.get("preference-applied"), "handling=strict, handling=dry-run")
      assert.isTrue(dryRunOf(strictDryRun).dryRun)
    })
  )

  it.effect("the recipients of a dry run exclude the writing app and apps without the scope to read", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const sql = yield* SqlClient.SqlClient
      const subscriber = yield* installSubscriber(storeId, "Search")
      const withoutScope = yield* installSubscriber(storeId, "Without scope")
      yield* sql`update installations set scopes = '{read_collections}' where id = ${withoutScope.installationId}`
      const { events } = dryRunOf(yield* client.post("/products", { name: "Cup" }, dryRunOptions))
      assert.deepStrictEqual(
        events.map(({ recipients }) => recipients),
        [[subscriber]]
      )
    })
  )

  it.effect("a dry run over RPC returns the resource, events and collections, and the write can use the same key", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const subscriber = yield* installSubscriber(storeId, "Search")
      const input = { storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup" }) }
      const before = yield* tableContents
      const result = yield* client.products.create({ ...input, dryRun: true })
      assert.deepStrictEqual(yield* tableContents, before)
      if (!("dryRun" in result)) return assert.fail("The write was performed")
      assert.strictEqual(result.resource.slug, "cup")
      assert.deepStrictEqual(result.events[0]?.recipients, [subscriber])
      assert.deepStrictEqual(result.collections, { entersCount: 0, leavesCount: 0, enters: [], leaves: [] })
      const { id } = yield* performed(client.products.create(input))
      const deleted = yield* client.products.delete({ storeId, idempotencyKey: newKey(), id, dryRun: true })
      assert.deepStrictEqual("dryRun" in deleted && deleted.resource, { id, deleted: true })
      assert.strictEqual((yield* client.products.get({ storeId, id })).version, 1)
    })
  )

  it.effect("a dry run of any REST write runs with a key that has a stored response", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const key = newKey()
      yield* client.post("/products", { name: "Cup" }, { key })
      const product = `/products/${dataOf(yield* client.post("/products", { name: "Jug" }))["id"]}`
      const collection = `/collections/${dataOf(yield* client.post("/collections", { title: "Tea" }))["id"]}`
      yield* client.put("/app-data/settings", { key: "theme", value: 1 })
      const requests = [
        ["POST", "/products", { name: "Cup" }],
        ["POST", "/products", { name: "Large", description: "x".repeat(LARGE_RESPONSE) }],
        ["PATCH", product, { price: 1 }],
        ["PATCH", `${product}/inventory`, { stock: 3 }],
        ["DELETE", product, undefined],
        ["POST", "/collections", { title: "Coffee" }],
        ["PATCH", collection, { title: "Coffee" }],
        ["DELETE", collection, undefined],
        ["PUT", "/app-data/settings", { key: "theme", value: 2 }]
      ] as const
      const before = yield* tableContents
      for (const [method, path, body] of requests) {
        const sent = { ...dryRunOptions, key, ...(body === undefined ? {} : { body }) }
        const response = yield* client.send(method, path, sent)
        assert.strictEqual(response.status, method === "POST" ? 201 : 200, `${method} ${path} ${response.text}`)
        assert.isNull(response.headers.get("idempotent-replayed"))
        dryRunOf(response)
      }
      assert.deepStrictEqual(yield* tableContents, before)
    })
  )

  it.effect("dry runs over RPC and MCP run with a key that has a stored response", () =>
    Effect.gen(function* () {
      const { agent, client, storeId, token } = yield* freshAgent()
      const idempotencyKey = newKey()
      const product = toProduct({ name: "Cup" })
      const { id } = yield* performed(client.products.create({ storeId, idempotencyKey, product }))
      const created = yield* client.products.create({ storeId, idempotencyKey, product, dryRun: true })
      assert.isTrue("dryRun" in created)
      const deleted = yield* client.products.delete({ storeId, idempotencyKey, id, dryRun: true })
      assert.isTrue("dryRun" in deleted)

      const args = { idempotencyKey, product: { name: "Jug" } }
      yield* callTool(token, "products_create", args)
      for (const [tool, payload] of [
        ["products_create", args],
        ["products_delete", { idempotencyKey, id }]
      ] as const) {
        const result = yield* callTool(token, tool, { ...payload, dryRun: true })
        assert.deepInclude(result.structuredContent, { dryRun: true }, `${agent.id} ${tool}`)
      }
    })
  )

  it.effect("a dry run waits for neither the key nor the response of a running write", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const product = `/products/${dataOf(yield* client.post("/products", { name: "Cup" }))["id"]}`
      const key = newKey()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const body = { name: "Jug", description: "x".repeat(LARGE_RESPONSE) }
      const write = yield* Effect.forkChild(client.post("/products", body, { key }))
      yield* duringWork(write, waitForLockWaits(watcher, 1))
      const dryRun = yield* client.patch(product, { description: body.description }, { ...dryRunOptions, key })
      assert.strictEqual(dryRun.status, 200)
      yield* release
      assert.strictEqual((yield* Fiber.join(write)).status, 201)
      const dryRuns = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) =>
          index % 4 === 0
            ? client.post("/products", { name: "Mug" }, { key: "race" })
            : client.post("/products", { name: "Mug" }, { ...dryRunOptions, key: "race" })
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(dryRuns.map(({ status }) => status))], [201])
    })
  )
})
