import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { type ProposalResult, ProposalId, Proposals } from "../../../src/domain/access/Proposals.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CollectionId, CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { PreviewRules } from "../../../src/domain/catalog/Membership.ts"
import { CreateProduct, ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { Search } from "../../../src/domain/catalog/Search.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { Idempotency, type Outcome } from "../../../src/domain/Idempotency.ts"
import { OrderId, Orders, PutOrder } from "../../../src/domain/records/Order.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { Encoded, type Write, Writes } from "../../../src/domain/Write.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { makeDeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { administration } from "../../support/plans/Administration.ts"
import { agentAuthorizations, authorizations } from "../../support/plans/Authorizations.ts"
import { development } from "../../support/plans/Development.ts"
import { history } from "../../support/plans/History.ts"
import { importItem } from "../../support/data/Imports.ts"
import { keyed } from "../../support/data/KeyedWrites.ts"
import { freshDatabase } from "../../support/postgres/Postgres.ts"
import { IMPORTED_IDS, deleteImported, seedTables, ORDER, expireRows, RULES } from "../../support/plans/Catalog.ts"
import { undos } from "../../support/plans/Undos.ts"
import { costSoFar, lowerCosts, maxCost } from "../../support/plans/Cost.ts"
import { scene } from "../../support/plans/Scene.ts"
import { purges } from "../../support/plans/Purges.ts"
import { PASSWORD } from "../../support/rpc/Merchants.ts"
import { contextOf, performIn } from "../../support/data/Writes.ts"

/** Rounds until a connection uses generic plans: PostgreSQL makes five custom plans first. */
const ROUNDS = 8

/** Finds the resource in the middle of a table. */
const findMiddle = <A, I>(store: string, table: string, id: Schema.Codec<A, I>, where = "true") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`
      with of_store as (select id from ${sql(table)} where store_id = ${store} and ${sql.literal(where)})
      select id from of_store order by id offset (select count(*) / 2 from of_store) limit 1
    `
    return yield* Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(id) }))(row)
  })

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toPreview = Schema.decodeUnknownSync(PreviewRules)
const toOrder = Schema.decodeUnknownSync(PutOrder)

const respond = ({ json }: { readonly json: string }) => json
const respondText = (json: string) => json
const respondEmpty = () => ""

const idOf = <A, I>(id: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownSync(Schema.Struct({ id }))
  return ({ text }: Outcome) => decode(JSON.parse(text)).id
}
const productIdOf = idOf(ProductId)
const collectionIdOf = idOf(CollectionId)
const proposalIdOf = idOf(ProposalId)

/** Runs each operation of the service once and returns the cost of each. */
const round = Effect.fn(function* ({
  agent,
  agentToken,
  member,
  app,
  installation,
  session,
  token
}: Effect.Success<typeof scene>) {
  const { storeId } = installation
  const catalog = yield* Catalog
  const idempotency = yield* Idempotency
  const imports = yield* Imports
  const writes = yield* Writes
  const stores = yield* Stores
  const appData = yield* AppData
  const { admit } = yield* RateLimit
  const { claim, recordResults } = makeDeliveryQueue(yield* SqlClient.SqlClient)

  const costs = new Map<string, number>()
  const measured = Effect.fn(function* <A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
    const before = yield* costSoFar
    const answer = yield* work
    costs.set(name, (yield* costSoFar) - before)
    return answer
  })
  const once = <A, E>(write: Write<A, E>, respond: (value: A) => string, key: string = randomUUID()) =>
    idempotency.once(contextOf(storeId), keyed(key), write, respond)
  const dryRunOnce = <A, E>(write: Write<A, E>) =>
    idempotency.once({ ...contextOf(storeId), mode: "dryRun" }, keyed(randomUUID()), write, respondEmpty)

  yield* measured("an admission", admit(token))
  yield* measured("the store", stores.get(storeId))
  const create = catalog.createProduct(storeId, toProduct({ name: "Cup", price: 3, tags: ["sale"] }))
  const key = randomUUID()
  const id = productIdOf(yield* measured("a create", once(create, respond, key)))
  yield* measured("a replayed create", once(create, respond, key))
  const otherId = productIdOf(yield* once(create, respond))
  const { changePassword, find } = yield* Sessions
  const { get } = yield* Stores
  yield* measured("a session", Effect.flip(find(Redacted.make("nobody"), [storeId])))
  const agents = yield* Agents
  const proposals = yield* Proposals
  yield* measured(
    "an admission of a merchant",
    Effect.flatMap(Sessions, ({ admit }) => admit(session, [storeId], 1))
  )
  const same = { current: Redacted.make(PASSWORD), next: Redacted.make(PASSWORD) }
  yield* measured(
    "a change of a password",
    Effect.flatMap(find(session, []), (by) => changePassword(by, same))
  )
  yield* measured("an admission of an agent", agents.admit(agentToken, 1, "any"))
  yield* measured("agents", agents.list(storeId, { cursor: undefined, limit: 20 }))
  const agentCreate = catalog.createProduct(storeId, toProduct({ name: "Mug" }))
  yield* measured("an agent's create", once(agents.budgeted(storeId, agent.id, agentCreate), respond))
  const proposal = { agentId: agent.id, procedure: "products.create", payload: "{}" }
  const proposeCreate = proposals.propose(storeId, proposal, agentCreate)
  const respondToProposal = (result: ProposalResult<unknown>) =>
    respondText("proposed" in result ? result.proposed : assert.fail("It changes"))
  const proposed = proposalIdOf(yield* measured("a proposal", once(proposeCreate, respondToProposal)))
  const all = { cursor: undefined, limit: 20, agentId: null }
  yield* measured("proposals", proposals.list(storeId, all))
  yield* measured("pending proposals", proposals.list(storeId, { ...all, isPending: true }))
  yield* measured("resolved proposals", proposals.list(storeId, { ...all, isPending: false }))
  yield* measured("a withdrawal of a proposal", once(proposals.withdraw(storeId, proposed, agent.id), respondText))
  yield* measured("a store", get(storeId))
  yield* measured("a product", catalog.getProduct(storeId, otherId))
  const patches = { price: { price: 4 }, tags: { tags: ["sale", "new"] }, slug: { slug: randomUUID() } }
  for (const [field, patch] of Object.entries(patches)) {
    yield* measured(`a PATCH of ${field}`, once(catalog.updateProduct(storeId, id, toPatch(patch), "any"), respond))
  }

  const sale = catalog.setInventory(storeId, id, { adjust: 1 }, "any")
  yield* measured("a change of inventory", once(sale, respond))

  for (const [kind, rules] of Object.entries(RULES)) {
    const write = catalog.createCollection(storeId, toCollection({ title: "Sale", rules }))
    const created = yield* measured(`a create of a collection ${kind}`, once(write, respond))
    yield* measured(`a collection ${kind}`, catalog.getCollection(storeId, collectionIdOf(created)))
  }
  const manual = catalog.createCollection(storeId, toCollection({ title: "By hand", productIds: [id, otherId] }))
  const created = collectionIdOf(yield* measured("a create of a manual collection", once(manual, respond)))
  yield* measured("a manual collection", catalog.getCollection(storeId, created))
  const swap = catalog.updateCollection(storeId, created, { productIds: [otherId, id] }, "any")
  yield* measured("a PATCH of a manual collection", once(swap, respond))
  const cheaper = catalog.updateProduct(storeId, id, toPatch({ price: 2 }), "any")
  yield* measured("a dry run of a PATCH", dryRunOnce(cheaper))
  const deletion = catalog.deleteProduct(storeId, id, "any")
  yield* measured("a dry run of a delete", dryRunOnce(deletion))
  yield* measured("a delete", once(deletion, respondEmpty))
  yield* measured("a delete of a deleted product", Effect.flip(once(deletion, respondEmpty)))
  const ways = { perform: <A, E>(write: Write<A, E>) => once(write, respondEmpty), dryRun: dryRunOnce }
  for (const [name, work] of yield* undos(storeId, ways)) yield* measured(name, Effect.orDie(work))
  const obsolete = yield* once(catalog.createCollection(storeId, toCollection({ title: "Gone" })), respond)
  const removal = catalog.deleteCollection(storeId, collectionIdOf(obsolete), "any")
  yield* measured("a delete of a collection", once(removal, respondEmpty))

  const put = appData.put(installation, "settings", { key: "theme", value: new Encoded("1"), ttlSeconds: 60 })
  yield* measured("an entry of app data", once(put, respondText))
  yield* measured("a replaced entry of app data", once(put, respondText))
  yield* measured("a read of an entry", appData.get(installation, "settings", "theme"))
  yield* measured("entries at the start", appData.list(installation, "settings", { limit: 20 }))
  yield* measured("entries in the middle", appData.list(installation, "settings", { cursor: "key-5", limit: 20 }))
  const forgotten = appData.delete(installation, "settings", "theme")
  yield* measured("a delete of an entry", once(forgotten, respondEmpty))
  yield* measured("a delete of a missing entry", Effect.flip(once(forgotten, respondEmpty)))

  const bring = (input: object) => {
    const puts = IMPORTED_IDS.map((externalId) => importItem(externalId, { name: externalId, ...input }))
    return writes.perform({ ...contextOf(storeId), surface: "import" }, imports.putProducts(storeId, puts, 0))
  }
  const bringNew = Effect.andThen(deleteImported(storeId), bring({ price: 3, tags: ["sale"] }))
  yield* measured("an import of new products", bringNew)
  yield* measured("an import of the same products", bring({ price: 3 }))
  yield* measured("an import of changed products", bring({ price: Math.random() }))

  const product = yield* findMiddle(storeId, "products", ProductId)
  // The cursor is after a manual collection: each page starts with the same type and runs the same statement.
  const collection = yield* findMiddle(storeId, "collections", CollectionId, "document ->> 'type' = 'manual'")
  yield* measured("products at the start", catalog.listProducts(storeId, { cursor: undefined, limit: 20 }))
  yield* measured("products in the middle", catalog.listProducts(storeId, { cursor: product.id, limit: 20 }))
  yield* measured("collections at the start", catalog.listCollections(storeId, { cursor: undefined, limit: 4 }))
  yield* measured("collections in the middle", catalog.listCollections(storeId, { cursor: collection.id, limit: 4 }))

  const search = yield* Search
  for (const query of ["cup", "sale", "slae", "s", "w", "wrod77", "cup slae"]) {
    yield* measured(`a search of ${query}`, search.products(storeId, { query, limit: 20 }))
  }
  yield* measured("summaries of products", catalog.summarizeProducts(storeId, [product.id]))
  yield* measured("a preview", catalog.previewCollection(storeId, toPreview({ rules: RULES["by tag and title"] })))
  yield* measured(
    "an explanation of a membership",
    catalog.explainMembership(storeId, product.id, { id: collection.id })
  )

  const orders = yield* Orders
  const perform = yield* performIn(storeId)
  const [placed] = yield* perform(orders.put(storeId, [{ id: null, input: toOrder({ ...ORDER, number: "1" }) }]))
  const known = placed !== undefined && Result.isSuccess(placed) ? placed.success.id : null
  const puts = [known, null].map((id) => ({ id, input: toOrder({ ...ORDER, number: "2" }) }))
  yield* measured("a put of orders", perform(orders.put(storeId, puts)))
  const order = yield* findMiddle(storeId, "orders", OrderId)
  const listOptions = { cursor: undefined, limit: 20, isPersonal: true }
  yield* measured("an order", orders.get(storeId, order.id, { isPersonal: true }))
  yield* measured("orders at the start", orders.list(storeId, listOptions))
  yield* measured("orders in the middle", orders.list(storeId, { ...listOptions, cursor: order.id, isPersonal: false }))
  yield* measured("few changed orders", orders.list(storeId, { ...listOptions, updatedSince: "2020-01-01T00:00:00Z" }))
  yield* measured("many changed orders", orders.list(storeId, { ...listOptions, updatedSince: "1970-01-01T00:00:00Z" }))

  for (const [name, read] of yield* history(storeId)) yield* measured(name, read)

  const claimed = yield* measured("a claim", claim(64, new Map()))
  const attempt = { status: 204, durationMillis: 7, answer: new Uint8Array(), error: null }
  const results = claimed.map((claimed) => ({ claimed, outcome: "delivered" as const, delay: 0, attempt }))
  yield* measured("recorded results of deliveries", recordResults(results))

  const administered = yield* administration(installation, (write) => once(write, respondEmpty))
  for (const [name, work] of administered) yield* measured(name, Effect.orDie(work))
  const developed = yield* development((account, write) =>
    idempotency.onceForAccount(account, keyed(randomUUID()), write, respondEmpty)
  )
  for (const [name, work] of developed) yield* measured(name, Effect.orDie(work))

  yield* authorizations(app, member, installation, measured)
  yield* agentAuthorizations(member, measured)

  return costs
})

// Flushes the pending list of the GIN index and the statistics now, so that no round pays for them.
const flushPendingTerms = "select gin_clean_pending_list('product_keys_by_terms'), pg_stat_force_next_flush()"

const run = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))

/** The row count at which autovacuum first analyzes a table, and a much larger one. */
const FEW = { stores: 120, apps: 150, products: 120 }
const MANY = { stores: 2000, apps: 300, products: 10_000 }

interface Case {
  readonly description: string
  readonly isAnalyzed: boolean
  readonly work: (
    created: Effect.Success<typeof scene>
  ) => Effect.Effect<Map<string, number>, unknown, Effect.Services<ReturnType<typeof round> | typeof purges>>
}

const CASES: ReadonlyArray<Case> = [
  { description: "tables that were never analyzed", isAnalyzed: false, work: round },
  { description: "tables that were analyzed while they were small", isAnalyzed: true, work: round },
  { description: "purges", isAnalyzed: false, work: () => purges }
]

for (const { description, isAnalyzed, work } of CASES) {
  it.live(`plans of old connections cost no more than plans of new ones: ${description}`, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const other = Layer.fresh(Layer.provideMerge(DomainLive, postgres({ url, maxConnections: 1 })))
      const withSecondConnection = Effect.provide(yield* Layer.build(Layer.provideMerge(MigrationsLive, other)))

      const created = yield* withSecondConnection(scene)
      const { storeId } = created.installation
      if (isAnalyzed) {
        yield* withSecondConnection(work(created))
        yield* withSecondConnection(Effect.andThen(seedTables(storeId, FEW), run("vacuum (analyze)")))
      }
      const onOldConnection = Effect.provide(yield* Layer.build(other))
      yield* Effect.replicateEffect(onOldConnection(work(created)), ROUNDS)
      yield* withSecondConnection(seedTables(storeId, MANY))
      const prepared = withSecondConnection(Effect.all([expireRows, run(flushPendingTerms), costSoFar]))
      const measured = Effect.andThen(prepared, onOldConnection(work(created)))
      const costs = lowerCosts(yield* measured, yield* measured)

      yield* withSecondConnection(Effect.all([expireRows, run("analyze"), run(flushPendingTerms), costSoFar]))
      const fresh = yield* Effect.provide(work(created), yield* Layer.build(other))
      const costlier = costs.filter(([name, cost]) => cost > maxCost(fresh.get(name) ?? 0))
      assert.deepStrictEqual(
        costlier.map(([name, cost]) => `${name}: ${cost}, with a fresh connection ${fresh.get(name)}`),
        []
      )
    })
  )
}
