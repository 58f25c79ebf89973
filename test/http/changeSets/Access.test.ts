import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { type Client, dataOf, errorOf, freshClient, install, makeStore, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, previewed, resultsOf, settled, setOf } from "../../support/http/ChangeSets.ts"

const CREATE = { op: "product.create", product: { name: "Cup" } }
const SELECTED = { mode: "each", where: { rules: [] } }

const onId = (client: Client, id: string) => [
  client.get(`/change-sets/${id}`),
  client.get(`/change-sets/${id}/results`),
  client.post(`/change-sets/${id}/apply`, {}),
  client.post(`/change-sets/${id}/cancel`, undefined),
  client.post(`/change-sets/${id}/undo`, undefined)
]

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Access to change sets", (it) => {
  it.effect("an installation sees its own sets only: not those of another app or of another store", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const set = yield* previewed(client, { mode: "each", operations: [CREATE] })
      const strangers = [(yield* install(storeId)).client, (yield* freshClient()).client]
      for (const stranger of strangers) {
        assert.deepStrictEqual(yield* stranger.get("/change-sets").pipe(Effect.map(({ json }) => json)), {
          changeSets: [],
          nextCursor: null
        })
        const unknown = randomUUID()
        for (const [index, call] of onId(stranger, set.id).entries()) {
          const refused = yield* call
          assert.strictEqual(refused.status, 404, refused.text)
          const same = yield* onId(stranger, unknown)[index] ?? assert.fail("There are as many")
          assert.strictEqual(refused.text.replaceAll(set.id, "id"), same.text.replaceAll(unknown, "id"))
        }
      }
      assert.deepStrictEqual(yield* settled(client, set.id), set)
    })
  )

  it.effect("operations change resources of the own store only", () =>
    Effect.gen(function* () {
      const owner = yield* freshClient()
      const product = dataOf(yield* owner.client.post("/products", { name: "Theirs", sku: "T-1", price: 5 }))
      const collection = dataOf(yield* owner.client.post("/collections", { title: "Theirs" }))
      const { client } = yield* freshClient()
      const set = yield* previewed(client, {
        mode: "each",
        operations: [
          { op: "product.update", id: product.id, patch: { price: 1 } },
          { op: "product.update", sku: "T-1", patch: { price: 1 } },
          { op: "product.delete", id: product.id },
          { op: "inventory.change", id: product.id, change: { stock: 1 } },
          { op: "collection.update", id: collection.id, patch: { title: "Mine" } },
          { op: "collection.members", id: collection.id, remove: [product.id] },
          { op: "collection.delete", id: collection.id },
          { op: "collection.create", collection: { title: "Mine", productIds: [product.id] } }
        ]
      })
      assert.deepInclude(set, { state: "ready", counts: { total: 8, changed: 0, unchanged: 0, refused: 8 } })
      assert.deepInclude(yield* applied(client, set.id), { state: "applied", counts: set.counts })
      assert.isFalse(JSON.stringify(yield* resultsOf(client, set.id)).includes("Theirs"))
      const all = yield* previewed(client, { ...SELECTED, change: { delete: true } })
      assert.deepInclude(all.counts, { total: 0 })
      assert.deepStrictEqual(pageOf(yield* owner.client.get("/products")).items, [product])
    })
  )

  it.effect("a set needs the write scope of each of its operations, and of the change of a selection", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const id = randomUUID()
      const operations = {
        write_products: [CREATE, { op: "product.update", id, patch: {} }, { op: "product.delete", id }],
        write_inventory: [{ op: "inventory.change", id, change: { stock: 1 } }],
        write_collections: [
          { op: "collection.create", collection: { title: "Cups" } },
          { op: "collection.update", id, patch: {} },
          { op: "collection.delete", id },
          { op: "collection.members", id, add: [] }
        ]
      }
      const changes = {
        write_products: [
          { patch: {} },
          { price: { add: 1 } },
          { discountedPrice: { add: 1 } },
          { tags: { add: ["a"] } },
          { delete: true }
        ],
        write_inventory: [{ stock: { add: 1 } }]
      }
      const named = { mode: "each", where: { ids: [id] } }
      const sets: ReadonlyArray<readonly [Scope, object]> = [
        ...operations.write_products.map((one) => ["write_products", { mode: "each", operations: [one] }] as const),
        ...operations.write_inventory.map((one) => ["write_inventory", { mode: "each", operations: [one] }] as const),
        ...operations.write_collections.map(
          (one) => ["write_collections", { mode: "each", operations: [one] }] as const
        ),
        ...changes.write_products.map((change) => ["write_products", { ...SELECTED, change }] as const),
        ...changes.write_inventory.map((change) => ["write_inventory", { ...named, change }] as const),
        ...changes.write_inventory.map((change) => ["write_products", { ...SELECTED, change }] as const)
      ]
      for (const granted of ["write_products", "write_inventory", "write_collections"] as const) {
        const { client } = yield* install(storeId, { scopes: [granted] })
        for (const [needed, set] of sets) {
          const isEnough = granted === needed || (needed === "write_inventory" && granted === "write_products")
          const answer = yield* client.post("/change-sets", set)
          assert.strictEqual(answer.status, isEnough ? 201 : 403, `${granted} ${JSON.stringify(set)}`)
          if (isEnough) yield* client.post(`/change-sets/${setOf(answer).id}/cancel`, undefined)
          else assert.include(errorOf(answer).error, `needs the scope`)
        }
        const mixed = yield* client.post("/change-sets", {
          mode: "each",
          operations: [CREATE, ...operations.write_collections]
        })
        assert.strictEqual(mixed.status, 403)
      }
      const { client: reader } = yield* install(storeId, { scopes: ["read_products"] })
      assert.strictEqual((yield* reader.get("/change-sets")).status, 403)
    })
  )

  it.effect("a product limit of the plan refuses the operations above it, in the preview and in the application", () =>
    Effect.gen(function* () {
      yield* changeGlobally((sql) => sql`insert into plans (name, product_limit) values ('three products', 3)`)
      const { client } = yield* freshClient({ plan: "three products" })
      const operations = Array.from({ length: 5 }, (_, n) => ({ op: "product.create", product: { name: `P ${n}` } }))
      const set = yield* previewed(client, { mode: "each", operations })
      assert.deepInclude(set, { counts: { total: 5, changed: 3, unchanged: 0, refused: 2 } })
      assert.match(set.preview?.refusals[0]?.error ?? "", /\b3 products\b/)
      yield* client.post("/products", { name: "First" })
      const done = yield* applied(client, set.id)
      assert.deepInclude(done, { state: "applied", counts: { total: 5, changed: 2, unchanged: 0, refused: 3 } })
    })
  )
})
