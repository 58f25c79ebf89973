import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CollectionId, CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { parse } from "../../../src/domain/Json.ts"
import { Idempotency, type StoredResponse } from "../../../src/domain/Idempotency.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Write } from "../../../src/domain/Write.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { Database, Door, postgres } from "../../../src/layers/database/Postgres.ts"
import { statement } from "../../../src/layers/database/Statement.ts"
import { makeQueue } from "../../../src/layers/webhooks/Queue.ts"
import { makeApp, makeStore } from "../../support/Api.ts"
import { keyed } from "../../support/Keyed.ts"
import { freshDatabase } from "../../support/Postgres.ts"
import { fill, outdate } from "../../support/Filled.ts"
import { contextOf } from "../../support/Writes.ts"

/** Rounds in which a connection comes to the plans that it keeps: after five that are made for their values. */
const ROUNDS = 8

/** A few pages more are what a table and its indexes may differ by from one round to the next. */
const mostOf = (fresh: number) => 1.25 * fresh + 12

const flush = statement("select pg_stat_force_next_flush()")

const Cost = Schema.Struct({ cost: Schema.NumberFromString })

/** Pages of tables and indexes that were looked at, and rows of tables that were read whole. */
const selectCost = statement(`
  select (
    select sum(
      heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
      + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
    ) from pg_statio_user_tables
  ) + (select sum(seq_tup_read) from pg_stat_user_tables) as cost
`)

const seen = Effect.gen(function* () {
  const [database, door] = [yield* Database, yield* Door]
  yield* Effect.all([database.count(flush()), door.count(flush())])
  return (yield* database.one(Cost)(selectCost())).cost
})

const middleOf = (table: string, which: string) =>
  statement(`
    with mine as (select id from ${table} where store_id = $1 and ${which})
    select id from mine order by id offset (select count(*) / 2 from mine) limit 1
  `)
const selectProduct = middleOf("products", "true")
// Behind a manual one: so each page begins with the same kind, and is asked for by the same statement.
const selectCollection = middleOf("collections", "document ->> 'type' = 'manual'")

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const onSale = { field: "tags", relation: "equals", value: "sale" }
const RULES = {
  "by a tag": [onSale],
  "by tag and title": [onSale, { field: "title", relation: "contains", value: "up" }],
  "by price": [{ field: "price", relation: "less_than", value: 5 }]
}

const respond = ({ json }: { readonly json: string }): StoredResponse => ({ status: 200, body: json, etag: null })
const respondEmpty = (): StoredResponse => ({ status: 204, body: "", etag: null })

const idOf = <A, I>(id: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(Schema.Struct({ id }))
  return ({ body }: StoredResponse) => decode(parse(body)).id
}
const productIdOf = idOf(ProductId)
const collectionIdOf = idOf(CollectionId)

/** A store, and an app on it that is told of everything. Nobody analyzes behind the test's back. */
const scene = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const storeId = yield* makeStore()
  const appId = yield* makeApp()
  const installation = yield* Effect.flatMap(Installations, ({ install }) =>
    install({ storeId, appId, scopes: ["read_products", "read_collections"] })
  )
  const { token } = yield* Effect.flatMap(Tokens, ({ issue }) => issue(installation))
  yield* Effect.flatMap(Webhooks, ({ subscribe }) =>
    subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
  )
  yield* sql`
    do $$
      declare name text;
      begin
        for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
          execute format('alter table %s set (autovacuum_enabled = off)', name);
        end loop;
      end
    $$
  `
  return { storeId, token }
})

/** Does each operation of the service once: what each of them cost. */
const round = Effect.fn(function* (storeId: StoreId, token: Redacted.Redacted) {
  const catalog = yield* Catalog
  const idempotency = yield* Idempotency
  const { admit } = yield* RateLimit
  const database = yield* Database
  const { claim, settle } = makeQueue(database)

  const costs = new Map<string, number>()
  const measured = Effect.fn(function* <A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
    const before = yield* seen
    const answer = yield* work
    costs.set(name, (yield* seen) - before)
    return answer
  })
  const once = <A, E>(write: Write<A, E>, respond: (value: A) => StoredResponse, key: string = randomUUID()) =>
    idempotency.once(contextOf(storeId), keyed(key), write, respond)

  yield* measured("an admission", admit(token))
  const create = catalog.createProduct(storeId, toProduct({ name: "Cup", price: 3, tags: ["sale"] }))
  const key = randomUUID()
  const id = productIdOf(yield* measured("a create", once(create, respond, key)))
  yield* measured("a create that is repeated", once(create, respond, key))
  const kept = productIdOf(yield* once(create, respond))
  const { find } = yield* Sessions
  const { get } = yield* Stores
  yield* measured("a session", Effect.flip(find(Redacted.make("nobody"), [storeId])))
  yield* measured("a store", get(storeId))
  yield* measured("a product", catalog.getProduct(storeId, kept))
  const patches = { price: { price: 4 }, tags: { tags: ["sale", "new"] }, slug: { slug: randomUUID() } }
  for (const [field, patch] of Object.entries(patches)) {
    yield* measured(`a PATCH of ${field}`, once(catalog.updateProduct(storeId, id, toPatch(patch), "any"), respond))
  }

  for (const [kind, rules] of Object.entries(RULES)) {
    const write = catalog.createCollection(storeId, toCollection({ title: "Sale", rules }))
    const made = yield* measured(`a create of a collection ${kind}`, once(write, respond))
    yield* measured(`a collection ${kind}`, catalog.getCollection(storeId, collectionIdOf(made)))
  }
  const manual = catalog.createCollection(storeId, toCollection({ title: "By hand", productIds: [id, kept] }))
  const made = collectionIdOf(yield* measured("a create of a manual collection", once(manual, respond)))
  yield* measured("a manual collection", catalog.getCollection(storeId, made))
  const swap = catalog.updateCollection(storeId, made, { productIds: [kept, id] }, "any")
  yield* measured("a PATCH of a manual collection", once(swap, respond))
  const deletion = catalog.deleteProduct(storeId, id, "any")
  yield* measured("a delete", once(deletion, respondEmpty))
  yield* measured("a delete that is refused", Effect.flip(once(deletion, respondEmpty)))
  const gone = yield* once(catalog.createCollection(storeId, toCollection({ title: "Gone" })), respond)
  const removal = catalog.deleteCollection(storeId, collectionIdOf(gone), "any")
  yield* measured("a delete of a collection", once(removal, respondEmpty))

  const oneOf = <A, I>(id: Schema.Schema<A, I>) => database.one(Schema.Struct({ id: Schema.typeSchema(id) }))
  const product = yield* oneOf(ProductId)(selectProduct(storeId))
  const collection = yield* oneOf(CollectionId)(selectCollection(storeId))
  yield* measured("products at the start", catalog.listProducts(storeId, { cursor: undefined, limit: 20 }))
  yield* measured("products in the middle", catalog.listProducts(storeId, { cursor: product.id, limit: 20 }))
  yield* measured("collections at the start", catalog.listCollections(storeId, { cursor: undefined, limit: 4 }))
  yield* measured("collections in the middle", catalog.listCollections(storeId, { cursor: collection.id, limit: 4 }))

  const claimed = yield* measured("a claim", claim(64, new Map()))
  const attempt = { status: 204, durationMillis: 7, answer: new Uint8Array(), error: null }
  const settled = claimed.map((claimed) => ({ claimed, outcome: "delivered" as const, delay: 0, attempt }))
  yield* measured("a settlement", settle(settled))

  return costs
})

const run = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

/** As few as autovacuum analyzes for the first time, and what comes after. */
const FEW = { stores: 120, apps: 150, products: 120 }
const MANY = { stores: 2000, apps: 300, products: 10_000 }

for (const isAnalyzed of [false, true]) {
  const how = isAnalyzed ? "that were analyzed while they were small" : "that nobody had analyzed"
  it.scopedLive(`no plan depends on when its connection was opened: of tables ${how}`, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const other = Layer.fresh(Layer.provideMerge(DomainLive, postgres({ url, maxConnections: 1 })))
      const beside = Effect.provide(yield* Layer.build(Layer.provideMerge(MigrationsLive, other)))

      const { storeId, token } = yield* beside(scene)
      if (isAnalyzed) {
        yield* beside(round(storeId, token))
        yield* beside(Effect.zipRight(fill(storeId, FEW), run("vacuum (analyze)")))
      }
      const old = Effect.provide(yield* Layer.build(other))
      yield* Effect.replicateEffect(old(round(storeId, token)), ROUNDS)
      yield* beside(Effect.zipRight(fill(storeId, MANY), outdate))
      const costs = yield* old(round(storeId, token))

      yield* beside(Effect.zipRight(outdate, run("analyze")))
      const fresh = yield* Effect.provide(round(storeId, token), yield* Layer.build(other))
      for (const [name, cost] of costs) assert.isAtMost(cost, mostOf(fresh.get(name) ?? 0), name)
    })
  )
}
