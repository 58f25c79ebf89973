import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { AppId } from "../../../src/domain/access/Ids.ts"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { Proposals } from "../../../src/domain/access/Proposals.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CollectionId, CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, ProductId } from "../../../src/domain/catalog/Product.ts"
import { ProductQuery } from "../../../src/domain/catalog/Queries.ts"
import { EventId, EventKind } from "../../../src/domain/Events.ts"
import { Idempotency } from "../../../src/domain/Idempotency.ts"
import { Activity, EntryId } from "../../../src/domain/journal/Activity.ts"
import { ChangeFeed, type FeedPageDocument } from "../../../src/domain/journal/ChangeFeed.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Undo } from "../../../src/domain/journal/Undo.ts"
import { AgentClients } from "../../../src/domain/oauth/AgentClients.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { OrderId, Orders, PutOrder } from "../../../src/domain/records/Order.ts"
import { Views } from "../../../src/domain/views/Views.ts"
import { StoreWebhooks } from "../../../src/domain/webhooks/StoreWebhooks.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { Encoded, type Write } from "../../../src/domain/Write.ts"
import { ProductRepository } from "../../../src/layers/catalog/ProductRepository.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { DeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { keyed } from "../../support/data/KeyedWrites.ts"
import { contextOf, MERCHANT, performIn } from "../../support/data/Writes.ts"
import { makeInstallation } from "../../support/http/Api.ts"
import { pagesOf } from "../../support/postgres/Pages.ts"
import { OneConnectionTest, withoutAutovacuum } from "../../support/postgres/PostgresTest.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"

const Live = Layer.provideMerge(
  DomainLive,
  Layer.tap(OneConnectionTest, (context) => Effect.provide(withoutAutovacuum, context))
)

/** Rounds until a connection uses generic plans: PostgreSQL makes five custom plans first. */
const ROUNDS = 7

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toOrder = Schema.decodeUnknownSync(PutOrder)
const RARE = Schema.decodeUnknownSync(ProductQuery)({ rules: [{ field: "tags", relation: "equals", value: "rare" }] })
const ORDER = toOrder({ number: "1", placedAt: "2026-01-31T09:30:00Z", lineItems: [] })

/** Statements that copy a row of each kind `count` times. */
const growBy = ({ id, storeId }: Installation, count: number) => [
  `with copied as materialized (select * from products where store_id = '${storeId}' order by id limit 1)
   insert into products (store_id, id, slug, document, bytes, version, bytes_of, facets)
   select store_id, made.id, made.id, (document::jsonb || jsonb_build_object('id', made.id, 'slug', made.id))::json, bytes, 1, 1, facets
   from copied, (select uuid_v7(clock_micros()) as id from generate_series(1, ${count})) as made`,
  `insert into product_keys (store_id, id, price, stock, terms)
   select store_id, id, 1000, 0, array[md5(id::text)]::uuid[] from products on conflict do nothing`,
  `update stores set product_count = product_count + ${count} where id = '${storeId}'`,
  `with copied as materialized (select * from collections where store_id = '${storeId}' order by id limit 1)
   insert into collections (store_id, document, bytes, bytes_of)
   select store_id, (document::jsonb || jsonb_build_object('id', made.id, 'slug', made.id, 'version', 1))::json, bytes, 1
   from copied, (select uuid_v7(clock_micros()) as id from generate_series(1, ${count})) as made`,
  `with copied as materialized (select * from orders limit 1)
   insert into orders (store_id, id, changed_at, opening, personal, bytes, personal_bytes)
   select store_id, uuid_v7(clock_micros()), n, replace(opening, '"status":"open"', '"status":"completed"'), personal,
     bytes, personal_bytes
   from copied, generate_series(1, ${count}) n`,
  `insert into app_data (store_id, installation_id, namespace, key, value, bytes, created_at, updated_at)
   select '${storeId}', '${id}', 'settings', gen_random_uuid(), '1', 1, now(), now() from generate_series(1, ${count})`,
  `insert into events (store_id, id, kind, occurred_at, actor_type, resource_id, resource_version, payload)
   select '${storeId}', uuid_v7(clock_micros()), 'catalog.product.updated.v1', now(), 'merchant', gen_random_uuid(), 1,
     repeat('x', 500)
   from generate_series(1, ${count})`,
  `insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
   select e.store_id, e.id, i.id, app_id, 'delivered', now() from events e join installations i using (store_id)
   on conflict do nothing`,
  `insert into journal (
     store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, before, after, omitted
   )
   select '${storeId}', uuid_v7(micros), micros / 1000 / 2592000000 % 16, now(), 'merchant', gen_random_uuid(), 'rpc', 0,
     'product', gen_random_uuid(), 2, '{"price":1}', '{"price":2}', '{}'
   from (select clock_micros() as micros from generate_series(1, ${count})) as made`,
  `insert into proposals (store_id, id, agent_id, procedure, payload, based_on, status, created_at, expires_at)
   select store_id, uuid_v7(clock_micros()), id, 'products.create', '{}', '[]', 'approved', now(), now() + interval '7 days'
   from agents, generate_series(1, ${count})`,
  `insert into idempotency_records (store_id, actor_id, key, fingerprint, outcome, expires_at)
   select '${storeId}', '${id}', gen_random_uuid(), '', repeat('x', 200), now() + interval '1 day'
   from generate_series(1, ${count})`,
  `insert into access_tokens (token_hash, store_id, installation_id, expires_at)
   select sha256(gen_random_uuid()::text::bytea), '${storeId}', '${id}', now() + interval '1 hour'
   from generate_series(1, ${count})`,
  `insert into agent_clients (client_id, name, redirect_uris, ends_at)
   select gen_random_uuid(), 'A client', '{}', now() + interval '1 day' from generate_series(1, ${count})`,
  // Flushed now, so that no measurement pays for it.
  "select gin_clean_pending_list('product_keys_by_terms')",
  "select gin_clean_pending_list('orders_by_text')"
]

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
  )

const idOf = <A, I>(id: Schema.Codec<A, I>, text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql.unsafe(text)
    return (yield* Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(id) }))(row)).id
  })

/** The id in the middle of a table, so that the page after it reads the middle of the index. */
const middleOf = <A, I>(table: string, id: Schema.Codec<A, I>) =>
  idOf(id, `select id from ${table} order by id offset (select count(*) / 2 from ${table}) limit 1`)

const scene = Effect.gen(function* () {
  const installation = yield* makeInstallation()
  const { storeId } = installation
  const perform = yield* performIn(storeId)
  const [catalog, orders, agents] = [yield* Catalog, yield* Orders, yield* Agents]
  const appId = yield* idOf(AppId, "select app_id as id from installations")
  yield* Effect.flatMap(Webhooks, ({ subscribe }) =>
    subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
  )
  const { id: merchant } = yield* makeMerchant()
  const { token: agentToken, write } = agents.create(storeId, merchant, { name: "An agent", scopes: [] })
  yield* perform(write)
  const product = yield* perform(catalog.createProduct(storeId, toProduct({ name: "Cup", price: 3 })))
  yield* perform(catalog.createCollection(storeId, toCollection({ title: "Sale", productIds: [product.id] })))
  yield* perform(orders.upsert(storeId, [{ id: null, input: ORDER }]))
  const { token } = yield* Effect.flatMap(Tokens, ({ issue }) => issue(installation))
  return { agentToken, appId, installation, token }
})

/** Operations of a store with many rows, by name. */
const operationsOf = Effect.fn(function* ({ agentToken, appId, installation, token }: Effect.Success<typeof scene>) {
  const { id, storeId } = installation
  const catalog = yield* Catalog
  const { once } = yield* Idempotency
  const orders = yield* Orders
  const appData = yield* AppData
  const views = yield* Views
  const activity = yield* Activity
  const { undo } = yield* Undo
  const webhooks = yield* StoreWebhooks
  const proposals = yield* Proposals
  const queue = yield* DeliveryQueue.make
  const { lockReferences } = yield* ProductRepository.make
  const feed = yield* ChangeFeed
  // In the middle may be the writes of this test, whose documents are read, too.
  const entry = yield* idOf(EventId, `select id from journal where store_id = '${storeId}' order by id limit 1`)
  const reading = {
    permit: <E>(read: Effect.Effect<FeedPageDocument, E>) => read,
    recheck: Effect.void,
    stopping: Effect.never
  }
  const now = new Date().toISOString()
  const product = yield* middleOf("products", ProductId)
  const order = yield* middleOf("orders", OrderId)
  const collection = yield* middleOf("collections", CollectionId)
  const event = yield* middleOf("events", EventId)
  const limit = 20
  const kinds = CatalogKind.literals
  const write = <A, E>(work: Write<A, E>) => once(contextOf(storeId), keyed(randomUUID()), work, () => "")
  return {
    admit: Effect.flatMap(RateLimit, ({ admit }) => admit(token)),
    "admit an agent": Effect.flatMap(Agents, ({ admit }) => admit(agentToken, 1, "any")),
    "create a product": write(catalog.createProduct(storeId, toProduct({ name: "Mug", price: 3, tags: ["sale"] }))),
    "update a product": write(catalog.updateProduct(storeId, product, { price: Math.random() }, "any")),
    "undo an update": Effect.flatMap(
      idOf(EntryId, `select id from journal where store_id = '${storeId}' order by id desc limit 1`),
      (id) => write(undo(storeId, id, { kinds, ownId: null }))
    ),
    "change the inventory": write(catalog.setInventory(storeId, product, { adjust: 1 }, "any")),
    "get a product": catalog.getProduct(storeId, product),
    "list products": catalog.listProducts(storeId, { cursor: product, limit }),
    "query products by an indexed rule": catalog.queryProducts(storeId, RARE, { limit }),
    "search products in a query": catalog.queryProducts(storeId, { search: "rare", sort: "name" }, { limit }),
    "list views": views.list(storeId, MERCHANT.id),
    "list collections": catalog.listCollections(storeId, { cursor: collection, limit }),
    "upsert an order": write(orders.upsert(storeId, [{ id: order, input: ORDER }])),
    "list orders": orders.list(storeId, { cursor: order, limit, isPersonal: true }),
    "list open orders": orders.query(storeId, { status: "open", sort: "placedAt" }, { limit }, { isPersonal: true }),
    "search orders": orders.query(storeId, { search: "zebra" }, { limit }, { isPersonal: true }),
    "summarize orders": orders.summarize(storeId, 90),
    "list changed orders": orders.list(storeId, {
      cursor: undefined,
      limit,
      isPersonal: true,
      updatedSince: "2020-01-01T00:00:00Z"
    }),
    "put an entry": write(
      appData.put(installation, "settings", { key: randomUUID(), value: new Encoded("1"), ttlSeconds: 60 })
    ),
    "list entries": appData.list(installation, "settings", { cursor: "8", limit }),
    "list some products": catalog.listProducts(storeId, { limit, ids: [product] }),
    "list changed products": catalog.listProducts(storeId, { limit, updatedSince: now }),
    "list changes": feed.list(storeId, { after: entry, limit, resources: ["products"], include: "document" }, reading),
    "explain a membership": catalog.explainMembership(storeId, product, { id: collection }),
    "list activity of a product": activity.list(storeId, { limit, kinds, resourceId: product }),
    "list activity of a merchant": activity.list(storeId, { limit, kinds, actorId: MERCHANT.id }),
    "list deliveries": webhooks.deliveries(storeId, id, { limit, cursor: event }),
    "list all deliveries of an app": Effect.flatMap(Webhooks, ({ deliveries }) => deliveries(appId, { limit })),
    "claim deliveries": queue.claim(4, new Map()),
    "list proposals": proposals.list(storeId, { cursor: undefined, limit, agentId: null }),
    "list pending proposals": proposals.list(storeId, { cursor: undefined, limit, agentId: null, isPending: true }),
    "purge clients": Effect.flatMap(AgentClients, ({ purge }) => purge),
    "purge grants": Effect.flatMap(Grants, ({ purge }) => purge),
    "purge sessions": Effect.flatMap(Sessions, ({ purge }) => purge),
    "lock products for deletion": lockReferences(storeId, [product]),
    "delete a product": write(catalog.deleteProduct(storeId, product, "any"))
  }
})

/** Runs each operation once and returns the pages that it read, by name. */
const measure = Effect.fn(function* (created: Effect.Success<typeof scene>) {
  const measured = yield* Effect.forEach(Object.entries(yield* operationsOf(created)), ([name, work]) =>
    Effect.map(pagesOf<unknown, unknown, Effect.Services<typeof work>>(work), ({ pages }) => [name, pages] as const)
  )
  return new Map(measured)
})

/** The pages of two rounds, so that work that happens once, such as of the planner after growth, does not count. */
const measureTwice = (created: Effect.Success<typeof scene>, choose: (one: number, other: number) => number) =>
  Effect.zipWith(
    measure(created),
    measure(created),
    (once, again) => new Map([...once].map(([name, pages]) => [name, choose(pages, again.get(name) ?? pages)]))
  )

it.live("an operation reads about as many pages in a store of 8,000 rows a table as in one of 2,000", () =>
  Effect.gen(function* () {
    const created = yield* scene
    yield* run(growBy(created.installation, 2000))
    yield* Effect.replicateEffect(measure(created), ROUNDS)
    const small = yield* measureTwice(created, Math.max)
    yield* run(growBy(created.installation, 6000))
    const large = yield* measureTwice(created, Math.min)
    yield* run(["vacuum (analyze)"])
    const analyzed = yield* measureTwice(created, Math.min)
    const grown = [...small].filter(([name, pages]) =>
      [large, analyzed].some((measured) => (measured.get(name) ?? Infinity) > 1.25 * pages + 30)
    )
    assert.deepStrictEqual(
      grown.map(([name, pages]) => `${name}: ${pages}, then ${large.get(name)}, analyzed ${analyzed.get(name)}`),
      []
    )
  }).pipe(Effect.provide(Live))
)
