import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AtomicMillis, StepMillis } from "../../../src/layers/changeSets/Pace.ts"
import { OverrunMillis } from "../../../src/layers/jobs/JobRunner.ts"
import { dataOf, freshClient, pageOf } from "../../support/http/Api.ts"
import {
  applied,
  countProducts,
  createSet,
  creations,
  CREATION,
  PausedJobsTest,
  outcomesOf,
  previewed,
  readSet,
  requestOf,
  resultsOf,
  running,
  settled,
  setOf
} from "../../support/http/ChangeSets.ts"
import { databaseUrl, lockStore, waitForLockWaits, writeToStore } from "../../support/process/Process.ts"

layer(PausedJobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Steps of change sets", (it) => {
  it.effect("a cancellation stops after the current batch of 400; what it has changed stays, and can be undone", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const price = { mode: "each", where: { rules: [] }, change: { price: { set: 5 } } }
      const { id } = yield* running(
        Effect.gen(function* () {
          yield* applied(client, (yield* previewed(client, { mode: "each", operations: creations(410) })).id)
          return yield* previewed(client, price)
        })
      )
      yield* requestOf(client, id, "apply")
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          yield* requestOf(client, id, "cancel")
          yield* release
          const canceled = yield* settled(client, id)
          assert.deepInclude(canceled, {
            state: "canceled",
            progress: { done: 400, total: 410 },
            counts: { total: 410, changed: 400, unchanged: 0, refused: 0 }
          })
        })
      ).pipe(Effect.provideService(StepMillis, { locked: Infinity, unlocked: Infinity }))
      const results = yield* resultsOf(client, id)
      assert.strictEqual(results.filter(({ isApplied }) => isApplied).length, 400)
      const undo = setOf(yield* requestOf(client, id, "undo"))
      yield* running(Effect.andThen(settled(client, undo.id), applied(client, undo.id)))
      assert.deepInclude(yield* readSet(client, undo.id), {
        counts: { total: 400, changed: 400, unchanged: 0, refused: 0 }
      })
      assert.strictEqual((yield* readSet(client, id)).undoneBy, undo.id)
    })
  )

  it.effect("an atomic set that takes too long fails with advice; a canceled one ends within its transaction", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const set = { mode: "atomic", operations: creations(210) }
      const slow = yield* createSet(client, set)
      yield* running(settled(client, slow.id)).pipe(Effect.provideService(AtomicMillis, 0))
      const failed = yield* readSet(client, slow.id)
      assert.deepInclude(failed, { state: "failed", counts: { total: 210, changed: 0, unchanged: 0, refused: 0 } })
      assert.match(failed.failure ?? "", /nothing was changed\. Use mode each, or split the set/)
      assert.strictEqual(yield* countProducts(client), 0)
      const { id } = yield* createSet(client, set)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          yield* requestOf(client, id, "cancel")
          yield* release
          assert.deepInclude(yield* settled(client, id), { state: "canceled", progress: { done: 0, total: 210 } })
        })
      )
    })
  )

  it.effect("a step ends after its time, and the next one continues", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createSet(client, { mode: "each", operations: creations(210) })
      const counts = { total: 210, changed: 210, unchanged: 0, refused: 0 }
      const ended = running(
        Effect.gen(function* () {
          assert.deepInclude(yield* settled(client, id), { state: "ready", counts })
          return yield* applied(client, id)
        })
      ).pipe(Effect.provideService(StepMillis, { locked: -1, unlocked: -1 }))
      assert.deepInclude(yield* ended, { state: "applied", counts })
      assert.lengthOf(yield* resultsOf(client, id), 210)
    })
  )

  it.effect("operations of a later step see the earlier ones, so that the preview and its application agree", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup", stock: 203 }))
      const operations = Array.from({ length: 206 }, () => ({ op: "inventory.change", id, change: { adjust: -1 } }))
      const set = yield* createSet(client, { mode: "each", operations })
      const counts = { total: 206, changed: 203, unchanged: 0, refused: 3 }
      yield* running(
        Effect.gen(function* () {
          assert.deepInclude(yield* settled(client, set.id), { state: "ready", counts })
          assert.deepInclude(yield* applied(client, set.id), { state: "applied", counts })
        })
      ).pipe(Effect.provideService(StepMillis, { locked: -1, unlocked: -1 }))
      const [product = {}] = pageOf(yield* client.get("/products")).items
      assert.deepInclude(product, { stock: 0, version: 204 })
    })
  )

  it.effect(
    "changes of one product follow each other, also those of a set that changes other products between them",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const [cup = "", can = ""] = yield* Effect.forEach(["Cup", "Can"], (name) =>
          Effect.map(client.post("/products", { name, price: 3, stock: 10 }), (answer) => String(dataOf(answer).id))
        )
        const adjust = { op: "inventory.change", id: cup, change: { adjust: -3 } }
        const operations = [
          adjust,
          { op: "product.update", id: cup, patch: { price: 4 } },
          { op: "product.update", id: can, patch: { price: 5 } },
          adjust,
          { op: "product.update", id: cup, patch: { price: 4 } },
          { op: "product.update", id: cup, patch: { slug: "mug" }, expectedVersion: 4 },
          adjust,
          adjust,
          { op: "product.update", id: cup, patch: { price: 6 }, expectedVersion: 2 },
          { op: "product.delete", id: can },
          { op: "product.update", id: can, patch: { price: 6 } }
        ]
        const created = yield* client.post("/change-sets", { mode: "each", operations })
        assert.strictEqual(created.status, 201, created.text)
        const { id } = setOf(created)
        // A preview sees only the changes of its own step.
        yield* running(Effect.andThen(settled(client, id), applied(client, id))).pipe(
          Effect.provideService(StepMillis, { locked: Infinity, unlocked: Infinity })
        )
        const results = yield* resultsOf(client, id)
        const seen = results.map(({ outcome, version }) => `${outcome} ${version}`)
        assert.deepStrictEqual(seen, [
          "updated 2",
          "updated 3",
          "updated 2",
          "updated 4",
          "unchanged 4",
          "updated 5",
          "updated 6",
          "refused 6",
          "refused 6",
          "deleted 2",
          "refused null"
        ])
        const [product = {}] = pageOf(yield* client.get("/products")).items
        assert.deepInclude(product, { slug: "mug", price: 4, stock: 1, version: 6 })
        const sql = yield* SqlClient.SqlClient
        const entries = yield* sql<{ readonly version: number }>`
        select version from journal where resource_id = ${cup} order by id
      `
        assert.deepStrictEqual(
          entries.map(({ version }) => version),
          [1, 2, 3, 4, 5, 6]
        )
      })
  )

  it.effect("a preview of changes of products does not wait for a write, and its operations see the earlier ones", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { id } = dataOf(yield* client.post("/products", { name: "Cup", slug: "cup", sku: "C-1", stock: 2 }))
      const operations = [
        { op: "product.update", id, patch: { slug: "mug", sku: "M-1" } },
        { op: "inventory.change", sku: "M-1", change: { adjust: -2 } },
        { op: "inventory.change", sku: "M-1", change: { adjust: -1 } },
        { op: "product.update", sku: "C-1", patch: { price: 2 } },
        { op: "product.create", product: { name: "Pot", slug: "cup" }, externalId: "P-1" },
        { op: "product.create", product: { name: "Pot" }, externalId: "P-1" },
        { op: "product.update", externalId: "P-1", patch: { price: 5 }, expectedVersion: 1 },
        { op: "product.delete", id },
        { op: "product.create", product: { name: "Mug", slug: "mug" } }
      ]
      const expected = [
        "updated",
        "updated",
        "refused",
        "refused",
        "created",
        "refused",
        "updated",
        "deleted",
        "created"
      ]
      const set = yield* createSet(client, { mode: "each", operations })
      const { release } = yield* writeToStore(yield* databaseUrl, storeId)
      yield* running(
        Effect.gen(function* () {
          assert.deepInclude(yield* settled(client, set.id), { state: "ready" })
          assert.deepStrictEqual(yield* outcomesOf(client, set.id), expected)
          yield* release
          yield* applied(client, set.id)
          assert.deepStrictEqual(yield* outcomesOf(client, set.id), expected)
        })
      )
      const { items } = pageOf(yield* client.get("/products"))
      assert.deepStrictEqual(
        items.map(({ name, price, slug, version }) => ({ name, price, slug, version })),
        [
          { name: "Pot", price: 5, slug: "cup", version: 2 },
          { name: "Mug", price: 0, slug: "mug", version: 1 }
        ]
      )
    })
  )

  it.effect("a set whose step takes long does not keep the sets of another store waiting", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* freshClient(), yield* freshClient()]
      const { id } = yield* createSet(slow.client)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, slow.storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          assert.deepInclude(yield* previewed(quick.client, CREATION), { state: "ready" })
          assert.deepInclude(yield* readSet(slow.client, id), { state: "previewing" })
          yield* release
          yield* settled(slow.client, id)
        })
      ).pipe(Effect.provideService(OverrunMillis, 0))
    })
  )
})
