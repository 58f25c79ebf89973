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
import { connection, databaseUrl, waiting } from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { AGENT, performIn } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toCollectionPatch = Schema.decodeUnknownSync(UpdateCollection)

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

/** A store, and in short what is done in it. */
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
    collect: (input: object) => performed(collections.create({ ...keyed(), collection: toCollection(input) })),
    arrange: (id: CollectionId, patch: object) =>
      performed(collections.update({ ...keyed(), id, patch: toCollectionPatch(patch) })),
    discard: (id: CollectionId) => performed(collections.delete({ ...keyed(), id })),
    membersOf: (id: CollectionId) => Effect.map(collections.get({ storeId, id }), ({ productIds }) => productIds),
    newest: Effect.map(client.activity.list({ storeId, limit: 1 }), ({ items: [entry] }) => entry ?? assert.fail()),
    undo: (id: EntryId) => performed(client.activity.undo({ ...keyed(), id })),
    undoSpan: (actorId: string, span: object = {}) =>
      performed(client.activity.undoSpan({ ...keyed(), actorId, ...EVER, ...span }))
  }
})

const steady = ({ updatedAt: _, version: __, ...product }: Product) => product

const eventsOf = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string; readonly version: number }>`
      select id, resource_version as version from events where store_id = ${storeId} order by id
    `
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Undo", (it) => {
  it.effect("takes an update back, as a write with an entry and an event of its own, and itself in turn", () =>
    Effect.gen(function* () {
      const { client, create, get, merchantId, newest, storeId, undo, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup", price: 0.1, slug: "cup" })
      yield* update(cup.id, { price: 99.99, slug: "mug", tags: ["new"] })
      const changed = yield* newest
      // Others' later changes of other members stay.
      yield* update(cup.id, { stock: 7 })

      const { undone } = yield* undo(changed.id)
      const told = yield* newest
      const common = { resource: "product", resourceId: cup.id } as const
      assert.deepStrictEqual(undone, [{ ...common, undoes: changed.id, id: told.id, version: 4 }])
      assert.deepInclude(told, {
        ...common,
        undoes: changed.id,
        actor: { type: "merchant", id: merchantId },
        surface: "rpc",
        versions: { before: 3, after: 4 }
      })
      const back = yield* get(cup.id)
      assert.deepStrictEqual(steady(back), { ...steady(cup), stock: 7 })
      const events = yield* eventsOf(storeId)
      assert.deepStrictEqual([events.at(-1)?.id, events.at(-1)?.version], [told.id, 4])

      yield* undo(told.id)
      assert.deepInclude(yield* get(cup.id), { price: 99.99, slug: "mug", tags: ["new"], stock: 7, version: 5 })
      // The first entry counts again, and its undo does not.
      yield* undo(changed.id)
      assert.deepStrictEqual(steady(yield* get(cup.id)), { ...steady(cup), stock: 7 })
      const again = yield* Effect.flip(client.activity.undo({ storeId, idempotencyKey: newKey(), id: changed.id }))
      assert.deepStrictEqual([again._tag, (yield* newest).undoes], ["ChangedSince", changed.id])
    })
  )

  it.effect("brings a deleted product back with its id, its slug and its places, and a new one goes", () =>
    Effect.gen(function* () {
      const { arrange, client, collect, create, get, membersOf, newest, remove, storeId, undo } = yield* freshScene()
      const [a, b, c, d] = yield* Effect.forEach(["A", "B", "C", "D"], (name) => create({ name, tags: ["tea"] }))
      if (a === undefined || b === undefined || c === undefined || d === undefined) return assert.fail()
      const productIds = [a.id, b.id, c.id, d.id]
      const shelf = yield* collect({ title: "Shelf", productIds })
      const window = yield* collect({ title: "Window", productIds: [c.id, a.id] })
      const gone = yield* collect({ title: "Gone", productIds })
      const turned = yield* collect({ title: "Turned", productIds })
      yield* remove(b.id)
      const deletion = yield* newest
      // Rewritten in between: places are counted, not remembered.
      yield* arrange(shelf.id, { productIds: [d.id, a.id, c.id] })
      yield* arrange(turned.id, { type: "automated", rules: [{ field: "tags", relation: "equals", value: "tea" }] })
      yield* client.collections.delete({ storeId, idempotencyKey: newKey(), id: gone.id })

      const dry = yield* client.activity.undo({ storeId, idempotencyKey: newKey(), id: deletion.id, dryRun: true })
      if (!("dryRun" in dry)) return assert.fail("It was done")
      assert.strictEqual(dry.resource.undone[0]?.version, 2)
      // By hand and by its rules, and not what was deleted.
      assert.deepInclude(dry.collections, {
        enters: [
          { id: shelf.id, title: "Shelf" },
          { id: turned.id, title: "Turned" }
        ],
        leaves: [],
        entersCount: 2,
        leavesCount: 0
      })
      assert.strictEqual((yield* Effect.flip(get(b.id)))._tag, "ProductNotFound")

      yield* undo(deletion.id)
      assert.deepStrictEqual(steady(yield* get(b.id)), steady(b))
      assert.deepStrictEqual(yield* membersOf(shelf.id), [d.id, b.id, a.id, c.id])
      assert.deepStrictEqual(yield* membersOf(window.id), [c.id, a.id])
      assert.include(yield* membersOf(turned.id), b.id)

      const made = yield* create({ name: "E" })
      yield* undo((yield* newest).id)
      assert.strictEqual((yield* Effect.flip(get(made.id)))._tag, "ProductNotFound")
      const sql = yield* SqlClient.SqlClient
      const [store] = yield* sql<{ readonly count: number }>`
        select product_count as count from stores where id = ${storeId}
      `
      assert.strictEqual(store?.count, 4)
    })
  )

  it.effect("is done once for its key, and answered again", () =>
    Effect.gen(function* () {
      const { client, create, get, newest, storeId, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup" })
      yield* update(cup.id, { stock: 1 })
      const asked = { storeId, idempotencyKey: newKey(), id: (yield* newest).id }
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => client.activity.undo(asked)),
        {
          concurrency: "unbounded"
        }
      )
      for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      assert.deepInclude(yield* get(cup.id), { stock: 0, version: 3 })
    })
  )

  it.effect("is refused where later changes overlap, and says which", () =>
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

      const refused = yield* Effect.flip(undo(first.id))
      assert.deepInclude(refused, { _tag: "ChangedSince", overlaps: [{ id: first.id, changedBy: [second.id] }] })
      const all = yield* Effect.flip(undo(creation.id))
      assert.deepInclude(all, { overlaps: [{ id: creation.id, changedBy: [first.id, second.id] }] })
      // All or nothing: the other product stays.
      const span = yield* Effect.flip(undoSpan(AGENT.id))
      assert.deepInclude(span, { _tag: "ChangedSince", overlaps: [{ id: first.id, changedBy: [second.id] }] })
      assert.deepStrictEqual(yield* get(cup.id), before)
      assert.strictEqual((yield* newest).id, second.id)

      // What was undone stands in nobody's way.
      yield* undo(second.id)
      const { undone } = yield* undoSpan(AGENT.id)
      assert.lengthOf(undone, 2)
      assert.deepStrictEqual(steady(yield* get(cup.id)), steady(cup))
      assert.deepStrictEqual(yield* undoSpan(AGENT.id), { undone: [] })

      yield* remove(cup.id)
      const gone = yield* Effect.flip(undo(creation.id))
      assert.deepInclude(gone, { overlaps: [{ id: creation.id, changedBy: [(yield* newest).id] }] })
    })
  )

  it.effect("is refused where a slug is taken, the plan is full, or the journal does not hold all", () =>
    Effect.gen(function* () {
      const { collect, create, discard, newest, remove, storeId, undo, update } = yield* freshScene({ plan: "free" })
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

      const shelf = yield* collect({ title: "Shelf", slug: "shelf", productIds: [cup.id, other.id] })
      yield* discard(shelf.id)
      const discarded = yield* newest
      yield* collect({ title: "Shelf" })
      assert.deepInclude(yield* Effect.flip(undo(discarded.id)), { _tag: "SlugTaken", slug: "shelf" })

      const large = { description: "x".repeat(60_000), metafields: { long: "y".repeat(60_000) } }
      const whole = yield* create({ name: "Large", ...large })
      yield* update(whole.id, { metafields: {}, price: 1 })
      yield* update(whole.id, { metafields: { long: "z".repeat(70_000) }, price: 2 })
      const refused = yield* Effect.flip(undo((yield* newest).id))
      assert.deepInclude(refused, { _tag: "NotKept", members: ["metafields"] })
      yield* remove(whole.id)
      assert.strictEqual((yield* Effect.flip(undo((yield* newest).id)))._tag, "NotKept")
    })
  )

  it.effect("of a span is of one actor and its time, and of at most 1,000 entries", () =>
    Effect.gen(function* () {
      const { create, merchantId, newest, undoSpan, update } = yield* freshScene()
      const cup = yield* create({ name: "Cup" })
      const { at: start } = yield* newest
      yield* update(cup.id, { stock: 1 })
      const { at, id } = yield* newest
      const none = yield* undoSpan(merchantId, { since: start, until: start })
      assert.deepStrictEqual(none, { undone: [] })
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

  it.effect("waits for an update that is under way, and is refused where that overlaps", () =>
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
            yield* waiting(watcher, 1)
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
