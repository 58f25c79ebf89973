import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { ExternalId } from "../../../src/domain/imports/Put.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { contextOf, MERCHANT } from "../../support/data/Writes.ts"

const CUP = { name: "Cup", price: 1 }

const EVER = { since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

const toProduct = Schema.decodeUnknownSync(CreateProduct)

/** Names that a list would have to quote. */
const NAMES = ['shop "1",\n{2}', "NULL"].map((name) => ExternalId.make(name))

/** Products of a store that are imported, and imported again by their names there. */
const scene = Effect.gen(function* () {
  const { client, merchantId, storeId } = yield* freshMember()
  const { perform } = yield* Writes
  const { putProducts } = yield* Imports
  const bring = (input: object, names = NAMES.slice(0, 1)) => {
    const puts = names.map((externalId) => ({ externalId, input: toProduct(input) }))
    return perform({ ...contextOf(storeId), surface: "import" }, putProducts(storeId, puts, 0)).pipe(
      Effect.map(({ outcomes }) => outcomes.map(Result.getOrNull))
    )
  }
  const ids = Effect.map(client.products.list({ storeId }), ({ items }) => items.map(({ id }) => id))
  const keyed = () => ({ storeId, idempotencyKey: newKey() })
  return {
    bring,
    ids,
    remove: Effect.flatMap(ids, (all) =>
      Effect.forEach(all, (id) => performed(client.products.delete({ ...keyed(), id })))
    ),
    undoNewest: Effect.flatMap(client.activity.list({ storeId, limit: 1 }), ({ items }) =>
      Effect.forEach(items, ({ id }) => performed(client.activity.undo({ ...keyed(), id })))
    ),
    undoAllOf: (actorId: string) => performed(client.activity.undoSpan({ ...keyed(), ...EVER, actorId })),
    undoerId: merchantId,
    client,
    storeId
  }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("a product that comes back", (it) => {
  it.effect("is found again by the next import of it, by what it is called there", () =>
    Effect.gen(function* () {
      const { bring, ids, remove, undoNewest } = yield* scene
      assert.deepStrictEqual(yield* bring(CUP), ["created"])
      const before = yield* ids
      yield* remove
      assert.lengthOf(yield* ids, 0)
      yield* undoNewest
      assert.deepStrictEqual(yield* bring({ name: "Cup", price: 2 }), ["updated"])
      assert.deepStrictEqual(yield* ids, before)
      // Also where it went and came more than once.
      yield* remove
      yield* undoNewest
      assert.deepStrictEqual(yield* bring({ name: "Cup", price: 2 }), ["unchanged"])
    })
  )

  it.effect("leaves its name to another that an import made anew meanwhile", () =>
    Effect.gen(function* () {
      const { bring, client, ids, remove, storeId } = yield* scene
      yield* bring(CUP)
      yield* remove
      const { items } = yield* client.activity.list({ storeId, limit: 1 })
      assert.deepStrictEqual(yield* bring({ name: "Mug" }), ["created"])
      const [another] = yield* ids
      for (const { id } of items) {
        yield* performed(client.activity.undo({ storeId, idempotencyKey: newKey(), id }))
      }
      assert.lengthOf(yield* ids, 2)
      assert.deepStrictEqual(yield* bring({ name: "Mug", price: 2 }), ["updated"])
      const changed = yield* client.activity.list({ storeId, limit: 1 })
      assert.strictEqual(changed.items[0]?.resourceId, another)
    })
  )

  it.effect("has its name also where many are taken back at once", () =>
    Effect.gen(function* () {
      const { bring, ids, undoAllOf, undoerId } = yield* scene
      assert.deepStrictEqual(yield* bring(CUP, NAMES), ["created", "created"])
      yield* undoAllOf(MERCHANT.id)
      assert.lengthOf(yield* ids, 0)
      yield* undoAllOf(undoerId)
      assert.lengthOf(yield* ids, 2)
      assert.deepStrictEqual(yield* bring(CUP, NAMES), ["unchanged", "unchanged"])
    })
  )
})
