import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"
import {
  applied,
  createProduct,
  JobsTest,
  outcomesOf,
  previewed,
  resultsOf,
  settled,
  setOf,
  undone,
  valuesOf
} from "../../support/http/ChangeSets.ts"

const update = (id: unknown, patch: object, more: object = {}) => ({ op: "product.update", id, patch, ...more })

const cup = (name: string, externalId: string) => ({ op: "product.create", product: { name, slug: "cup" }, externalId })

/** Two products, and a set whose preview changes the price of both. Another changes that of the second one meanwhile. */
const movedScene = Effect.fn(function* (mode: "each" | "atomic") {
  const { client } = yield* freshClient()
  const [a, b] = [
    yield* createProduct(client, { name: "A", price: 1 }),
    yield* createProduct(client, { name: "B", price: 1 })
  ]
  const set = yield* previewed(client, { mode, operations: [update(a.id, { price: 5 }), update(b.id, { price: 5 })] })
  assert.deepInclude(set.counts, { changed: 2, refused: 0 })
  yield* client.patch(`/products/${String(b.id)}`, { name: "Moved", price: 2 })
  return { client, set, id: String(b.id) }
})

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Conflicts of change sets", (it) => {
  it.effect("expectedVersion refuses an operation if the resource has another version", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = yield* createProduct(client, { name: "A", price: 1, sku: "A" })
      const collection = dataOf(yield* client.post("/collections", { title: "All" }))
      const operations = (expectedVersion: number) => [
        update(product.id, { price: 2 }, { expectedVersion }),
        { op: "inventory.change", sku: "A", change: { stock: 4 }, expectedVersion: expectedVersion + 1 },
        { op: "product.delete", id: product.id, expectedVersion: expectedVersion + 2 },
        { op: "collection.members", id: collection.id, add: [], expectedVersion },
        { op: "collection.update", id: collection.id, patch: { title: "New" }, expectedVersion },
        { op: "collection.delete", id: collection.id, expectedVersion: expectedVersion + 1 }
      ]
      const stale = yield* previewed(client, { mode: "each", operations: operations(7) })
      assert.deepInclude(stale.counts, { total: 6, changed: 0, refused: 6 })
      assert.match(stale.preview?.refusals[0]?.error ?? "", /version/)
      const current = yield* previewed(client, { mode: "each", operations: operations(1) })
      assert.deepInclude(current.counts, { changed: 5, unchanged: 1, refused: 0 })
    })
  )

  it.effect("a row that changed after the preview is refused and reported; the others are changed", () =>
    Effect.gen(function* () {
      const { client, id, set } = yield* movedScene("each")
      const done = yield* applied(client, set.id)
      assert.deepInclude(done, { state: "applied", counts: { total: 2, changed: 1, unchanged: 0, refused: 1 } })
      const [, refused] = yield* resultsOf(client, set.id)
      assert.deepInclude(refused, { outcome: "refused", isApplied: true, id, version: null, entryId: null })
      assert.match(refused?.error ?? "", /changed price .* version is now 2\..*overwrite/)
      assert.deepStrictEqual(yield* valuesOf(client, "name", "price"), [
        ["A", 5],
        ["Moved", 2]
      ])
    })
  )

  it.effect("a set does not conflict with itself, however far apart its operations are", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createProduct(client, { name: "A", stock: 10_000, price: 1 })
      const adjust = { op: "inventory.change", id, change: { adjust: -1 } }
      const unchanged = update(id, { name: "A" })
      const operations = [
        update(id, { price: 2 }),
        adjust,
        ...Array.from({ length: 2_000 }, () => unchanged),
        adjust,
        update(id, { price: 3 })
      ]
      const set = yield* previewed(client, { mode: "each", operations })
      assert.deepInclude(set.counts, { changed: 4, unchanged: 2_000, refused: 0 })
      assert.deepStrictEqual((yield* applied(client, set.id)).counts, set.counts)
      assert.deepStrictEqual(yield* valuesOf(client, "price", "stock"), [[3, 9_998]])

      // Others change it between the operations of the preview and those of the application.
      const other = yield* previewed(client, { mode: "each", operations: [adjust, update(id, { price: 4 })] })
      yield* client.patch(`/products/${String(id)}`, { price: 9 })
      yield* applied(client, other.id)
      assert.deepStrictEqual(yield* outcomesOf(client, other.id), ["updated", "refused"])
      assert.deepStrictEqual(yield* valuesOf(client, "price", "stock"), [[9, 9_997]])
    })
  )

  it.effect("onConflict overwrite applies the operation to the new state of the row", () =>
    Effect.gen(function* () {
      const { client, set } = yield* movedScene("each")
      assert.deepInclude(yield* applied(client, set.id, { onConflict: "overwrite" }), {
        counts: set.counts,
        onConflict: "overwrite"
      })
      assert.deepStrictEqual(yield* valuesOf(client, "name", "price"), [
        ["A", 5],
        ["Moved", 5]
      ])
      const invalid = yield* client.post(`/change-sets/${set.id}/apply`, { onConflict: "ask" })
      assert.deepStrictEqual(errorOf(invalid).issues, ["onConflict: must be skip or overwrite"])
    })
  )

  it.effect("a selected change is computed from the row as it is when it is applied", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createProduct(client, { name: "A", price: 10 })
      const set = yield* previewed(client, { mode: "each", where: { rules: [] }, change: { price: { percent: 10 } } })
      assert.deepInclude(set.preview, { lowestPrice: 11, highestPrice: 11 })
      yield* client.patch(`/products/${String(id)}`, { price: 100 })
      yield* createProduct(client, { name: "Later", price: 10 })
      yield* applied(client, set.id, { onConflict: "overwrite" })
      assert.deepStrictEqual((yield* valuesOf(client, "price")).flat(), [110, 10])
    })
  )

  it.effect("an atomic set with refused operations cannot be applied (422)", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createProduct(client, { name: "A", price: 1 })
      const operations = [update(id, { price: 5 }), { op: "inventory.change", id, change: { adjust: -1 } }]
      const set = yield* previewed(client, { mode: "atomic", operations })
      assert.deepInclude(set, { state: "ready", counts: { total: 2, changed: 1, unchanged: 0, refused: 1 } })
      const refused = yield* client.post(`/change-sets/${set.id}/apply`, {})
      assert.strictEqual(refused.status, 422)
      assert.match(errorOf(refused).error, /1 operations of the atomic change set are refused; read its results/)
      assert.deepStrictEqual(yield* valuesOf(client, "price"), [[1]])
    })
  )

  it.effect("an atomic set changes nothing if a row changed after the preview, unless it overwrites", () =>
    Effect.gen(function* () {
      const { client, set } = yield* movedScene("atomic")
      const failed = yield* applied(client, set.id)
      assert.deepInclude(failed, { state: "failed", counts: { total: 2, changed: 0, unchanged: 0, refused: 1 } })
      assert.match(failed.failure ?? "", /1 operations were refused because of changes after the preview; nothing/)
      assert.deepStrictEqual(yield* outcomesOf(client, set.id), ["updated", "refused"])
      assert.isTrue((yield* resultsOf(client, set.id)).every(({ isApplied }) => !isApplied))
      assert.deepStrictEqual((yield* valuesOf(client, "price", "version")).flat(), [1, 1, 2, 2])
      const other = yield* movedScene("atomic")
      assert.deepInclude(yield* applied(other.client, other.set.id, { onConflict: "overwrite" }), { state: "applied" })
      assert.deepStrictEqual((yield* valuesOf(other.client, "price")).flat(), [5, 5])
    })
  )

  it.effect("an undo refuses what others changed since, and overwrites it by choice", () =>
    Effect.gen(function* () {
      const scene = Effect.gen(function* () {
        const { client } = yield* freshClient()
        const [a, b] = [
          yield* createProduct(client, { name: "A", price: 1 }),
          yield* createProduct(client, { name: "B", price: 1 })
        ]
        const operations = [update(a.id, { price: 5 }), update(b.id, { price: 5 })]
        const set = yield* previewed(client, { mode: "each", operations })
        yield* applied(client, set.id)
        yield* client.patch(`/products/${String(b.id)}`, { price: 7, vendorName: "Nord" })
        return { client, set }
      })
      const { client, set } = yield* scene
      const answer = yield* client.post(`/change-sets/${set.id}/undo`, undefined)
      const undo = yield* settled(client, setOf(answer).id)
      assert.deepInclude(undo, { undoes: set.id, counts: { total: 2, changed: 1, unchanged: 0, refused: 1 } })
      yield* applied(client, undo.id)
      assert.deepStrictEqual((yield* valuesOf(client, "price")).flat(), [1, 7])

      const other = yield* scene
      yield* undone(other.client, other.set.id, { onConflict: "overwrite" })
      assert.deepStrictEqual(yield* valuesOf(other.client, "price", "vendorName"), [
        [1, null],
        [1, "Nord"]
      ])
    })
  )

  it.effect("an undo can be undone, after which the set can be undone again", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createProduct(client, { name: "A", price: 1 })
      const operations = [
        update(id, { price: 5 }),
        { op: "product.create", product: { name: "B" } },
        { op: "collection.create", collection: { title: "All" } }
      ]
      const set = yield* previewed(client, { mode: "each", operations })
      yield* applied(client, set.id)
      const first = yield* undone(client, set.id)
      assert.deepInclude(first.counts, { changed: 3, refused: 0 })
      assert.deepStrictEqual(yield* valuesOf(client, "name", "price"), [["A", 1]])
      const taken = yield* client.post(`/change-sets/${set.id}/undo`, undefined)
      assert.strictEqual(taken.status, 409)
      assert.include(errorOf(taken).error, `undone already, by ${first.id}; undo that one to apply it again`)
      yield* undone(client, first.id)
      assert.deepStrictEqual(yield* valuesOf(client, "name", "price"), [
        ["A", 5],
        ["B", 0]
      ])
      assert.lengthOf(pageOf(yield* client.get("/collections")).items, 1)
    })
  )

  it.effect("a deletion frees the place, slug and external id of its product for later operations of the set", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('two products', 2)`)
      const creations = {
        place: { op: "product.create", product: { name: "New" } },
        slug: cup("New", "E-2"),
        "number of a slug": { op: "product.create", product: { name: "Cup" } },
        externalId: { op: "product.create", product: { name: "New" }, externalId: "E-1" }
      }
      for (const [freed, creation] of Object.entries(creations)) {
        const { client } = yield* freshClient(freed === "place" ? { plan: "two products" } : {})
        const seeds = [cup("A", "E-1"), { op: "product.create", product: { name: "Cup" } }]
        yield* applied(client, (yield* previewed(client, { mode: "each", operations: seeds })).id)
        const [a, b] = (yield* valuesOf(client, "id")).flat()
        const deleted = freed === "number of a slug" ? b : a
        const operations = [{ op: "product.delete", id: deleted }, creation]
        const set = yield* previewed(client, { mode: "each", operations })
        assert.deepInclude(set.counts, { changed: 2, refused: 0 }, freed)
        yield* applied(client, set.id)
        const slugs = (yield* valuesOf(client, "slug")).flat()
        if (freed === "slug" || freed === "number of a slug") assert.sameMembers(slugs, ["cup", "cup-2"])

        yield* undone(client, set.id)
        assert.deepStrictEqual((yield* valuesOf(client, "id")).flat(), [a, b], freed)
        const named = { op: "product.update", externalId: "E-1", patch: { name: "Found" } }
        yield* applied(client, (yield* previewed(client, { mode: "each", operations: [named] })).id)
        assert.deepStrictEqual(yield* valuesOf(client, "name"), [["Found"], ["Cup"]], freed)
      }
    })
  )
})
