import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreId } from "../../../src/domain/Store.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { ExactNumber } from "../../../src/domain/json/Json.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import {
  callLine,
  clientOf,
  errorOf,
  exitsOf,
  freshMember,
  memberOf,
  newKey,
  post,
  signIn
} from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

layer(ApiTest)("calls", (it) => {
  it.effect("a merchant signs in, and reads and writes the catalog of their store", () =>
    Effect.gen(function* () {
      const { email, storeId } = yield* freshMember()
      const client = yield* clientOf(yield* signIn(email))

      const product = yield* client.products
        .create({
          ...keyedIn(storeId),
          product: toProduct({ name: "Oak desk", price: 12, tags: ["oak"] })
        })
        .pipe(performed)
      assert.deepInclude(product, { name: "Oak desk", version: 1, slug: "oak-desk", price: 12 })
      assert.deepStrictEqual(yield* client.products.get({ storeId, id: product.id }), product)

      const rules = [{ field: "tags", relation: "equals", value: "oak" }]
      const collection = yield* client.collections
        .create({
          ...keyedIn(storeId),
          collection: toCollection({ title: "Oak", rules })
        })
        .pipe(performed)
      assert.deepStrictEqual(collection.productIds, [product.id])
      assert.deepStrictEqual(yield* client.collections.get({ storeId, id: collection.id }), collection)
      assert.deepStrictEqual(yield* client.collections.list({ storeId }), { items: [collection], nextCursor: null })

      const patched = { ...keyedIn(storeId), id: product.id, patch: { tags: [] }, expectedVersion: 1 }
      const changed = yield* client.products.update(patched).pipe(performed)
      assert.strictEqual(changed.version, 2)
      assert.deepStrictEqual((yield* client.collections.get({ storeId, id: collection.id })).productIds, [])
      const renamed = { ...keyedIn(storeId), id: collection.id, patch: { title: "Of oak" } }
      assert.strictEqual((yield* client.collections.update(renamed).pipe(performed)).title, "Of oak")

      const second = yield* client.products
        .create({ ...keyedIn(storeId), product: toProduct({ name: "Lamp" }) })
        .pipe(performed)
      const first = yield* client.products.list({ storeId, limit: 1 })
      assert.deepStrictEqual(first, { items: [changed], nextCursor: product.id })
      const rest = yield* client.products.list({ storeId, cursor: product.id })
      assert.deepStrictEqual(rest, { items: [second], nextCursor: null })

      for (const { id } of [product, second]) {
        const gone = yield* client.products.delete({ ...keyedIn(storeId), id }).pipe(performed)
        assert.deepStrictEqual(gone, { id, deleted: true })
      }
      const ended = yield* client.collections.delete({ ...keyedIn(storeId), id: collection.id }).pipe(performed)
      assert.deepStrictEqual(ended, { id: collection.id, deleted: true })
      assert.deepInclude(yield* client.store.get({ storeId }), { id: storeId, name: "A store", productCount: 0 })
    })
  )

  it.effect(
    "a write that is repeated is done once, and answered the same to the byte; by another merchant it is another",
    () =>
      Effect.gen(function* () {
        const { cookie, storeId } = yield* freshMember()
        const other = yield* memberOf(storeId)
        const asked = { ...keyedIn(storeId), product: { name: "Cup", price: 3 } }
        const body = callLine("products.create", asked)
        const { text } = yield* post(body, { cookie })
        assert.strictEqual([...exitsOf(text).values()][0]?._tag, "Success")

        const respelled = JSON.stringify({
          ...JSON.parse(body),
          payload: Object.fromEntries(Object.entries(asked).toReversed())
        })
        const repeated = yield* Effect.all(
          [post(body, { cookie }), post(body, { cookie }), post(respelled, { cookie })],
          {
            concurrency: "unbounded"
          }
        )
        for (const one of repeated) assert.strictEqual(one.text, text)

        const { text: others } = yield* post(body, { cookie: other.cookie })
        assert.notStrictEqual(others, text)
        assert.strictEqual([...exitsOf(others).values()][0]?._tag, "Success")

        const sql = yield* SqlClient.SqlClient
        const entries =
          yield* sql`select surface, actor_type, idempotency_key from journal where store_id = ${storeId} and version is not null`
        const entry = { surface: "rpc", actor_type: "merchant", idempotency_key: asked.idempotencyKey }
        assert.deepStrictEqual(entries, [entry, entry])
      })
  )

  it.effect("a key that was used for something else is refused, also for the same payload of another procedure", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const key = keyedIn(storeId)
      const { id } = yield* client.products.create({ ...key, product: toProduct({ name: "Cup" }) }).pipe(performed)
      const other = yield* Effect.flip(client.products.create({ ...key, product: toProduct({ name: "Mug" }) }))
      assert.strictEqual(other._tag, "KeyReused")
      const gone = { ...keyedIn(storeId), id }
      yield* client.products.delete(gone)
      assert.strictEqual(
        errorOf((yield* post(callLine("collections.delete", gone), { cookie })).text)?.["_tag"],
        "KeyReused"
      )
    })
  )

  it.effect("a version that is no longer there is refused, and says which is", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { id } = yield* client.products
        .create({ ...keyedIn(storeId), product: toProduct({ name: "Cup" }) })
        .pipe(performed)
      yield* client.products.update({ ...keyedIn(storeId), id, patch: { stock: 2 }, expectedVersion: 1 })
      const stale = { ...keyedIn(storeId), id, expectedVersion: 1 }
      const calls = [
        Effect.asVoid(client.products.update({ ...stale, patch: { stock: 3 } })),
        Effect.asVoid(client.products.delete(stale))
      ]
      for (const call of calls) {
        const refused = yield* Effect.flip(call)
        assert.deepInclude(refused, { _tag: "VersionMismatch", current: 2 })
        assert.match(refused.message, /its version is 2/)
      }
    })
  )

  it.effect("numbers keep all of their digits, in both directions", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const price = new ExactNumber("0.12345678901234567890123")
      const made = yield* client.products
        .create({ ...keyedIn(storeId), product: toProduct({ name: "Gold", price }) })
        .pipe(performed)
      assert.deepStrictEqual(made.price, price)
      const { text } = yield* post(callLine("products.get", { storeId, id: made.id }), { cookie })
      assert.include(text, '"price":0.12345678901234567890123,')
    })
  )

  it.effect("calls of one body are answered each by its id", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const ids = Array.from({ length: 16 }, (_, index) => String(index))
      const lines = ids.map((id) => callLine("products.create", { ...keyedIn(storeId), product: { name: id } }, { id }))
      const exits = exitsOf((yield* post(lines.join(""), { cookie })).text)
      assert.deepStrictEqual([...exits.keys()], ids)
      for (const [id, exit] of exits) assert.deepInclude(exit._tag === "Success" ? exit.value : {}, { name: id })
    })
  )
})
