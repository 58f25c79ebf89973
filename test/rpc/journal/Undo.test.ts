import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { type CollectionId, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, type Product, type ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import type { EntryId } from "../../../src/domain/journal/Activity.ts"
import { MAX_UNDONE } from "../../../src/domain/journal/Undo.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { connection, databaseUrl, waitForLockWaits } from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { AGENT, performIn } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toCollectionPatch = Schema.decodeUnknownSync(UpdateCollection)

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

/** A store, with short forms of its procedures. */
const freshScene = Effect.fn(function* (options: { readonly plan?: string } = {}) {
  const { client, merchantId, storeId } = yield* freshMember(options)
  const keyed = () => ({ storeId, idempotencyKey: newKey() })
  const { collections, products } = client
  return {
    client,
    merchantId,
    storeId,
    create: (input: object) => performed(products.create({ ...keyed(), product: toProduct(input) })),
    update: (id: ProductId, patch: object) => performed(products.update({ ...keyed(), id, patch: toPatch(patch) })),
    remove: (id: ProductId) => performed(products.delete({ ...keyed(), id })),
    get: (id: ProductId) => products.get({ storeId, id }),
    createCollection: (input: object) => performed(collections.create({ ...keyed(), collection: toCollection(input) })),
    updateCollection: (id: CollectionId, patch: object) =>
      performed(collections.update({ ...keyed(), id, patch: toCollectionPatch(patch) })),
    deleteCollection: (id: CollectionId) => performed(collections.delete({ ...keyed(), id })),
    membersOf: (id: CollectionId) => Effect.map(collections.get({ storeId, id }), ({ productIds }) => productIds),
    newest: Effect.map(client.activity.list({ storeId, limit: 1 }), ({ items: [entry] }) => entry ?? assert.fail()),
    undo: (id: EntryId) => performed(client.activity.undo({ ...keyed(), id })),
    undoSpan: (actorId: string, span: object = {}) =>
      performed(client.activity.undoSpan({ ...keyed(), actorId, ...EVER, ...span }))
  }
})

const withoutVersion = ({ updatedAt: _, version: __, ...product }: Product) => product

const eventsOf = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string; readonly version: number }>`
      select id, resource_version as version from events where store_id = ${storeId} order by id
    `
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Undo", (it) => {
  it.effect("undo reverts an update by a write with its own entry and event, and can itself be undone", () =>
    Effect.gen(function* () {
      const { client, create, get, merchantId, newest, storeId, undo, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup", price: 0.1, slug: "cup" })
      yield* update(cup.id, { price: 99.99, slug: "mug", tags: ["new"] })
      const changed = yield* newest
      // Later changes of other members are kept.
      yield* update(cup.id, { stock: 7 })

      const { undone } = yield* undo(changed.id)
      const undoEntry = yield* newest
      const common = { resource: "product", resourceId: cup.id } as const
      assert.deepStrictEqual(undone, [{ ...common, undoes: changed.id, id: undoEntry.id, version: 4 }])
      assert.deepInclude(undoEntry, {
        ...common,
        undoes: changed.id,
        actor: { type: "merchant", id: merchantId },
        surface: "rpc",
        versions: { before: 3, after: 4 }
      })
      const restored = yield* get(cup.id)
      assert.deepStrictEqual(withoutVersion(restored), { ...withoutVersion(cup), stock: 7 })
      const events = yield* eventsOf(storeId)
      assert.deepStrictEqual([events.at(-1)?.id, events.at(-1)?.version], [undoEntry.id, 4])

      yield* undo(undoEntry.id)
      assert.deepInclude(yield* get(cup.id), { price: 99.99, slug: "mug", tags: ["new"], stock: 7, version: 5 })
      // Undoing the undo makes the first entry undoable again.
      yield* undo(changed.id)
      assert.deepStrictEqual(withoutVersion(yield* get(cup.id)), { ...withoutVersion(cup), stock: 7 })
      const again = yield* Effect.flip(client.activity.undo({ storeId, idempotencyKey: newKey(), id: changed.id }))
      assert.deepStrictEqual([again._tag, (yield* newest).undoes], ["ChangedSince", changed.id])
    })
  )

  it.effect("undo restores a deleted product with id, slug and positions, and deletes a created one", () =>
    Effect.gen(function* () {
      const { updateCollection, client, createCollection, create, get, membersOf, newest, remove, storeId, undo } =
        yield* freshScene()
      const [a, b, c, d] = yield* Effect.forEach(["A", "B", "C", "D"], (name) => create({ name, tags: ["tea"] }))
      if (a === undefined || b === undefined || c === undefined || d === undefined) return assert.fail()
      const productIds = [a.id, b.id, c.id, d.id]
      const shelf = yield* createCollection({ title: "Shelf", productIds })
      const window = yield* createCollection({ title: "Window", productIds: [c.id, a.id] })
      const deletedCollection = yield* createCollection({ title: "Gone", productIds })
      const automated = yield* createCollection({ title: "Turned", productIds })
      yield* remove(b.id)
      const deletion = yield* newest
      // The order changes meanwhile: the product returns to its index in the new order.
      yield* updateCollection(shelf.id, { productIds: [d.id, a.id, c.id] })
      yield* updateCollection(automated.id, {
        type: "automated",
        rules: [{ field: "tags", relation: "equals", value: "tea" }]
      })
      yield* client.collections.delete({ storeId, idempotencyKey: newKey(), id: deletedCollection.id })

      const dryRun = yield* client.activity.undo({ storeId, idempotencyKey: newKey(), id: deletion.id, dryRun: true })
      if (!("dryRun" in dryRun)) return assert.fail("The write was performed")
      assert.strictEqual(dryRun.resource.undone[0]?.version, 2)
      // A manual and an automated collection, but not the deleted one.
      assert.deepInclude(dryRun.collections, {
        enters: [
          { id: shelf.id, title: "Shelf" },
          { id: automated.id, title: "Turned" }
        ],
        leaves: [],
        entersCount: 2,
        leavesCount: 0
      })
      assert.strictEqual((yield* Effect.flip(get(b.id)))._tag, "ProductNotFound")

      yield* undo(deletion.id)
      assert.deepStrictEqual(withoutVersion(yield* get(b.id)), withoutVersion(b))
      assert.deepStrictEqual(yield* membersOf(shelf.id), [d.id, b.id, a.id, c.id])
      assert.deepStrictEqual(yield* membersOf(window.id), [c.id, a.id])
      assert.include(yield* membersOf(automated.id), b.id)

      const created = yield* create({ name: "E" })
      yield* undo((yield* newest).id)
      assert.strictEqual((yield* Effect.flip(get(created.id)))._tag, "ProductNotFound")
      const sql = yield* SqlClient.SqlClient
      const [store] = yield* sql<{ readonly count: number }>`
        select product_count as count from stores where id = ${storeId}
      `
      assert.strictEqual(store?.count, 4)
    })
  )

  it.effect("concurrent undo requests with one key undo once and return the same response", () =>
    Effect.gen(function* () {
      const { client, create, get, newest, storeId, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup" })
      yield* update(cup.id, { stock: 1 })
      const request = { storeId, idempotencyKey: newKey(), id: (yield* newest).id }
      const responses = yield* Effect.all(
        Array.from({ length: 8 }, () => client.activity.undo(request)),
        {
          concurrency: "unbounded"
        }
      )
      for (const response of responses) assert.deepStrictEqual(response, responses[0])
      assert.deepInclude(yield* get(cup.id), { stock: 0, version: 3 })
    })
  )

  it.effect("undo fails with ChangedSince if later changes overlap, and lists their entries", () =>
    Effect.gen(function* () {
      const { create, get, newest, remove, storeId, undo, undoSpan, update } = yield* freshScene()
      const catalog = yield* Catalog
      const write = yield* performIn(storeId, AGENT)
      const cup = yield* create({ name: "Cup" })
      const creation = yield* newest
      yield* write(catalog.updateProduct(storeId, cup.id, toPatch({ price: 1, stock: 1 }), "any"))
      const first = yield* newest
      yield* write(catalog.createProduct(storeId, toProduct({ name: "Jug" })))
      yield* update(cup.id, { price: 2 })
      const second = yield* newest
      const before = yield* get(cup.id)

      const error = yield* Effect.flip(undo(first.id))
      assert.deepInclude(error, { _tag: "ChangedSince", overlaps: [{ id: first.id, changedBy: [second.id] }] })
      const creationError = yield* Effect.flip(undo(creation.id))
      assert.deepInclude(creationError, { overlaps: [{ id: creation.id, changedBy: [first.id, second.id] }] })
      // undoSpan is atomic: the other product is kept.
      const spanError = yield* Effect.flip(undoSpan(AGENT.id))
      assert.deepInclude(spanError, { _tag: "ChangedSince", overlaps: [{ id: first.id, changedBy: [second.id] }] })
      assert.deepStrictEqual(yield* get(cup.id), before)
      assert.strictEqual((yield* newest).id, second.id)

      // An undone entry does not block the undo of earlier entries.
      yield* undo(second.id)
      const { undone } = yield* undoSpan(AGENT.id)
      assert.lengthOf(undone, 2)
      assert.deepStrictEqual(withoutVersion(yield* get(cup.id)), withoutVersion(cup))
      assert.deepStrictEqual(yield* undoSpan(AGENT.id), { undone: [] })

      yield* remove(cup.id)
      const deletionError = yield* Effect.flip(undo(creation.id))
      assert.deepInclude(deletionError, { overlaps: [{ id: creation.id, changedBy: [(yield* newest).id] }] })
    })
  )

  it.effect("undo fails if the slug is taken, the plan limit is reached or the journal omits a value", () =>
    Effect.gen(function* () {
      const { createCollection, create, deleteCollection, newest, remove, storeId, undo, update } = yield* freshScene({
        plan: "free"
      })
      const sql = yield* SqlClient.SqlClient
      const cup = yield* create({ name: "Cup", slug: "cup" })
      yield* remove(cup.id)
      const deletion = yield* newest
      const other = yield* create({ name: "Other", slug: "cup" })
      assert.deepInclude(yield* Effect.flip(undo(deletion.id)), { _tag: "SlugTaken", slug: "cup" })
      yield* update(other.id, { slug: "other" })
      yield* sql`update stores set product_count = 100 where id = ${storeId}`
      assert.deepInclude(yield* Effect.flip(undo(deletion.id)), { _tag: "ProductLimitReached", limit: 100 })
      yield* sql`update stores set product_count = 1 where id = ${storeId}`
      yield* undo(deletion.id)

      const shelf = yield* createCollection({ title: "Shelf", slug: "shelf", productIds: [cup.id, other.id] })
      yield* deleteCollection(shelf.id)
      const discarded = yield* newest
      yield* createCollection({ title: "Shelf" })
      assert.deepInclude(yield* Effect.flip(undo(discarded.id)), { _tag: "SlugTaken", slug: "shelf" })

      const large = { description: "x".repeat(60_000), metafields: { long: "y".repeat(60_000) } }
      const product = yield* create({ name: "Large", ...large })
      yield* update(product.id, { metafields: {}, price: 1 })
      yield* update(product.id, { metafields: { long: "z".repeat(70_000) }, price: 2 })
      const error = yield* Effect.flip(undo((yield* newest).id))
      assert.deepInclude(error, { _tag: "OldValuesUnavailable", members: ["metafields"] })
      yield* remove(product.id)
      assert.strictEqual((yield* Effect.flip(undo((yield* newest).id)))._tag, "OldValuesUnavailable")
    })
  )

  it.effect("undoSpan undoes at most 1,000 entries of one actor in a time span", () =>
    Effect.gen(function* () {
      const { create, merchantId, newest, undoSpan, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup" })
      const { at: start } = yield* newest
      yield* update(cup.id, { stock: 1 })
      const { at, id } = yield* newest
      const nothing = yield* undoSpan(merchantId, { since: start, until: start })
      assert.deepStrictEqual(nothing, { undone: [] })
      const { undone } = yield* undoSpan(merchantId, { since: at, until: "3000-01-01T00:00:00Z" })
      assert.deepStrictEqual(
        undone.map(({ undoes }) => undoes),
        [id]
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into journal (
          store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, after, omitted
        )
        select store_id, uuid_v7(clock_micros()), part, at, actor_type, ${AGENT.id}, surface, 0, resource, resource_id,
          version, '{}', '{}'
        from journal, generate_series(1, ${MAX_UNDONE + 1}) where id = ${id}
      `
      assert.strictEqual((yield* Effect.flip(undoSpan(AGENT.id)))._tag, "TooMuchToUndo")
    })
  )

  it.effect("undo waits for a concurrent update and fails if that update overlaps", () =>
    Effect.gen(function* () {
      const { create, get, newest, storeId, undo, update } = yield* freshScene()
      const sql = yield* SqlClient.SqlClient
      const catalog = yield* Catalog
      const write = yield* performIn(storeId, AGENT)
      const watcher = yield* connection(yield* databaseUrl)
      const cup = yield* create({ name: "Cup", stock: 0 })
      for (const [patch, stock] of [
        [{ price: 1 }, 0],
        [{ stock: 100 }, 100]
      ] as const) {
        yield* update(cup.id, { stock: 1 })
        const { id } = yield* newest
        const undoing = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* write(catalog.updateProduct(storeId, cup.id, toPatch(patch), "any"))
            const undoing = yield* Effect.forkChild(Effect.result(undo(id)))
            yield* waitForLockWaits(watcher, 1)
            return undoing
          })
        )
        const undone = yield* Fiber.join(undoing)
        assert.strictEqual(Result.isFailure(undone), stock === 100)
        assert.deepInclude(yield* get(cup.id), { ...patch, stock })
      }
    })
  )
})
