import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { type Answer, ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { installing } from "../../support/data/Writes.ts"

const DRY = { prefer: "handling=dry-run" }
const dry = { headers: DRY }

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

const Books = Schema.Array(Schema.Struct({ name: Schema.String, rows: Schema.String }))

/** What every table holds of what is not the door's, as one text for each. */
const books = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and relname not in ('rate_windows', 'agent_windows', 'merchant_call_windows', 'sessions', 'recent_requests')
    order by relname
  `
  return Schema.decodeUnknownSync(Books)(
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

/** An app that is told of everything that it may read. */
const listenOn = Effect.fn(function* (storeId: StoreId, name: string) {
  const appId = yield* Effect.flatMap(Apps, ({ create }) => create({ name, ...ALL_GRANTS }))
  const { id } = yield* Effect.flatMap(installing, ({ install }) => install({ storeId, appId, ...ALL_GRANTS }))
  yield* Effect.flatMap(Webhooks, ({ subscribe }) =>
    subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
  )
  return { installationId: id, appName: name }
})

const titles = (...named: ReadonlyArray<Record<string, unknown>>) => named.map(({ id, title }) => ({ id, title }))

const tagged = (value: string) => [{ field: "tags", relation: "equals", value }]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A dry run", (it) => {
  it.effect(
    "answers what each write would, with its events and the collections, and no table is another one after it",
    () =>
      Effect.gen(function* () {
        const { client, storeId } = yield* freshClient()
        const told = yield* listenOn(storeId, "Search")
        const made = dataOf(yield* client.post("/products", { name: "Cup", tags: ["tea"] }))
        const other = dataOf(yield* client.post("/products", { name: "Jug" }))
        const collection = (body: object) => Effect.map(client.post("/collections", body), dataOf)
        const tea = yield* collection({ title: "Tea", rules: tagged("tea") })
        const sale = yield* collection({ title: "Sale", rules: tagged("sale") })
        const shelf = yield* collection({ title: "Shelf", productIds: [other["id"], made["id"]] })
        yield* collection({ title: "Nothing", rules: [] })
        const product = `/products/${made["id"]}`
        const before = yield* books

        const created = yield* client.post("/products", { name: "Cup", tags: ["SALE"] }, dry)
        assert.strictEqual(created.status, 201)
        assert.isNull(created.headers.get("etag"))
        assert.strictEqual(created.headers.get("preference-applied"), "handling=dry-run")
        const create = dryRunOf(created)
        assert.deepInclude(create.data, { name: "Cup", slug: "cup-2", version: 1, tags: ["SALE"] })
        const event = { kind: "catalog.product.updated.v1", version: 1, recipients: [told] }
        assert.deepStrictEqual(create.events, [{ ...event, resourceId: create.data["id"] }])
        const none = { entersCount: 0, leavesCount: 0, enters: [], leaves: [] }
        assert.deepStrictEqual(create.collections, { ...none, entersCount: 1, enters: titles(sale) })

        const update = dryRunOf(yield* client.patch(product, { tags: ["sale"] }, dry))
        assert.deepInclude(update.data, { id: made["id"], version: 2, tags: ["sale"] })
        assert.deepStrictEqual(update.events, [{ ...event, resourceId: made["id"], version: 2 }])
        assert.deepStrictEqual(update.collections, {
          entersCount: 1,
          leavesCount: 1,
          enters: titles(sale),
          leaves: titles(tea)
        })
        const same = dryRunOf(yield* client.patch(product, { name: "Cup" }, dry))
        assert.deepStrictEqual(same, { data: made, dryRun: true, events: [], collections: null })

        const inventory = dryRunOf(yield* client.patch(`${product}/inventory`, { adjust: 3, reason: "Found" }, dry))
        assert.deepInclude(inventory.data, { stock: 3, version: 2 })
        assert.deepStrictEqual(inventory.collections, none)

        const gone = dryRunOf(yield* client.delete(product, dry))
        assert.deepStrictEqual(gone.data, { id: made["id"], deleted: true })
        assert.deepStrictEqual(gone.events, [])
        assert.deepStrictEqual(gone.collections, { ...none, leavesCount: 2, leaves: titles(tea, shelf) })

        const shop = dryRunOf(yield* client.post("/collections", { title: "Shop", rules: tagged("tea") }, dry))
        assert.deepInclude(shop.data, { title: "Shop", productIds: [made["id"]], productCount: 1 })
        assert.strictEqual(shop.events[0]?.["kind"], "catalog.collection.updated.v1")
        assert.isNull(shop.collections)
        const emptied = dryRunOf(yield* client.patch(`/collections/${shelf["id"]}`, { productIds: [] }, dry))
        assert.deepInclude(emptied.data, { version: 2, productIds: [] })
        const ended = dryRunOf(yield* client.delete(`/collections/${tea["id"]}`, dry))
        assert.deepStrictEqual(ended.data, { id: tea["id"], deleted: true })
        dryRunOf(yield* client.put("/app-data/settings", { key: "theme", value: 1 }, dry))

        assert.deepStrictEqual(yield* books, before)
      })
  )

  it.effect("is refused as the write would be, and takes no key from it", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ plan: "free" })
      const key = "one"
      const cup = { name: "Cup", slug: "cup" }
      assert.deepInclude(dryRunOf(yield* client.post("/products", cup, { ...dry, key })).data, { slug: "cup" })
      const made = yield* client.post("/products", cup, { key })
      assert.strictEqual(made.status, 201)
      assert.isNull(made.headers.get("idempotent-replayed"))
      assert.strictEqual((yield* client.post("/products", cup, { key })).headers.get("idempotent-replayed"), "true")
      // Under a key that has a record it is decided anew.
      const product = `/products/${dataOf(made)["id"]}`
      const asked = [
        ["POST", "/products", cup, {}],
        ["PATCH", product, { price: -1 }, {}],
        ["PATCH", product, { price: 1 }, { "if-match": '"7"' }],
        ["PATCH", `${product}/inventory`, { adjust: -1 }, {}],
        ["DELETE", "/products/01890a5d-ac96-774b-bcce-b302099a8057", undefined, {}],
        ["POST", "/collections", { title: "Gone", productIds: ["01890a5d-ac96-774b-bcce-b302099a8057"] }, {}]
      ] as const
      for (const [method, path, body, headers] of asked) {
        const send = (more: object) =>
          client.send(method, path, { headers: { ...headers, ...more }, ...(body === undefined ? {} : { body }) })
        const refused = yield* send({})
        const rehearsed = yield* client.send(method, path, {
          key,
          headers: { ...headers, ...DRY },
          ...(body === undefined ? {} : { body })
        })
        assert.deepStrictEqual([rehearsed.status, errorOf(rehearsed)], [refused.status, errorOf(refused)])
      }
      const strict = { headers: { prefer: 'handling=strict, respond-async, Handling="dry-run"' } }
      assert.strictEqual((yield* client.post("/products", { name: "Cup", colour: 1 }, strict)).status, 400)
      const both = yield* client.post("/products", { name: "Cup" }, strict)
      assert.strictEqual(both.headers.get("preference-applied"), "handling=strict, handling=dry-run")
      assert.isTrue(dryRunOf(both).dryRun)
    })
  )

  it.effect("is not told of to the app that would write, nor to one that may not read", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const sql = yield* SqlClient.SqlClient
      const told = yield* listenOn(storeId, "Search")
      const deaf = yield* listenOn(storeId, "Deaf")
      yield* sql`update installations set scopes = '{read_collections}' where id = ${deaf.installationId}`
      const { events } = dryRunOf(yield* client.post("/products", { name: "Cup" }, dry))
      assert.deepStrictEqual(
        events.map(({ recipients }) => recipients),
        [[told]]
      )
    })
  )

  it.effect("by a call answers the resource beside what it would lead to, and the write may come with its key", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const told = yield* listenOn(storeId, "Search")
      const asked = { storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup" }) }
      const before = yield* books
      const answer = yield* client.products.create({ ...asked, dryRun: true })
      assert.deepStrictEqual(yield* books, before)
      if (!("dryRun" in answer)) return assert.fail("It was done")
      assert.strictEqual(answer.resource.slug, "cup")
      assert.deepStrictEqual(answer.events[0]?.recipients, [told])
      assert.deepStrictEqual(answer.collections, { entersCount: 0, leavesCount: 0, enters: [], leaves: [] })
      const { id } = yield* performed(client.products.create(asked))
      const gone = yield* client.products.delete({ storeId, idempotencyKey: newKey(), id, dryRun: true })
      assert.deepStrictEqual("dryRun" in gone && gone.resource, { id, deleted: true })
      assert.strictEqual((yield* client.products.get({ storeId, id })).version, 1)
    })
  )
})
