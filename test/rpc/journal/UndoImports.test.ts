import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { importItem } from "../../support/data/Imports.ts"
import { contextOf, MERCHANT } from "../../support/data/Writes.ts"

const CUP = { name: "Cup", price: 1 }

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

/** External ids that an array literal of PostgreSQL quotes. */
const EXTERNAL_IDS = ['shop "1",\n{2}', "NULL"]

/** A store whose products are imported, and imported again by their external ids. */
const scene = Effect.gen(function* () {
  const { client, merchantId, storeId } = yield* freshMember()
  const { perform } = yield* Writes
  const { putProducts } = yield* Imports
  const importProducts = (input: object, externalIds = EXTERNAL_IDS.slice(0, 1)) => {
    const puts = externalIds.map((externalId) => importItem(externalId, input))
    return perform({ ...contextOf(storeId), surface: "import" }, putProducts(storeId, puts, 0)).pipe(
      Effect.map(({ outcomes }) => outcomes.map(Result.getOrNull))
    )
  }
  const ids = Effect.map(client.products.list({ storeId }), ({ items }) => items.map(({ id }) => id))
  const keyed = () => ({ storeId, idempotencyKey: newKey() })
  return {
    importProducts,
    ids,
    remove: Effect.flatMap(ids, (all) =>
      Effect.forEach(all, (id) => performed(client.products.delete({ ...keyed(), id })))
    ),
    undoNewest: Effect.flatMap(client.activity.list({ storeId, limit: 1 }), ({ items }) =>
      Effect.forEach(items, ({ id }) => performed(client.activity.undo({ ...keyed(), id })))
    ),
    undoAllOf: (actorId: string) => performed(client.activity.undoSpan({ ...keyed(), ...EVER, actorId })),
    merchantId,
    client,
    storeId
  }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Undo of imported products", (it) => {
  it.effect("the next import finds a restored product by its external id", () =>
    Effect.gen(function* () {
      const { importProducts, ids, remove, undoNewest } = yield* scene
      assert.deepStrictEqual(yield* importProducts(CUP), ["created"])
      const before = yield* ids
      yield* remove
      assert.lengthOf(yield* ids, 0)
      yield* undoNewest
      assert.deepStrictEqual(yield* importProducts({ name: "Cup", price: 2 }), ["updated"])
      assert.deepStrictEqual(yield* ids, before)
      // The same holds after a second deletion and undo.
      yield* remove
      yield* undoNewest
      assert.deepStrictEqual(yield* importProducts({ name: "Cup", price: 2 }), ["unchanged"])
    })
  )

  it.effect("a restored product does not take its external id from a product imported meanwhile", () =>
    Effect.gen(function* () {
      const { importProducts, client, ids, remove, storeId } = yield* scene
      yield* importProducts(CUP)
      yield* remove
      const { items } = yield* client.activity.list({ storeId, limit: 1 })
      assert.deepStrictEqual(yield* importProducts({ name: "Mug" }), ["created"])
      const [another] = yield* ids
      for (const { id } of items) {
        yield* performed(client.activity.undo({ storeId, idempotencyKey: newKey(), id }))
      }
      assert.lengthOf(yield* ids, 2)
      assert.deepStrictEqual(yield* importProducts({ name: "Mug", price: 2 }), ["updated"])
      const changed = yield* client.activity.list({ storeId, limit: 1 })
      assert.strictEqual(changed.items[0]?.resourceId, another)
    })
  )

  it.effect("products that undoSpan restores have their external ids", () =>
    Effect.gen(function* () {
      const { importProducts, ids, undoAllOf, merchantId } = yield* scene
      assert.deepStrictEqual(yield* importProducts(CUP, EXTERNAL_IDS), ["created", "created"])
      yield* undoAllOf(MERCHANT.id)
      assert.lengthOf(yield* ids, 0)
      yield* undoAllOf(merchantId)
      assert.lengthOf(yield* ids, 2)
      assert.deepStrictEqual(yield* importProducts(CUP, EXTERNAL_IDS), ["unchanged", "unchanged"])
    })
  )
})
